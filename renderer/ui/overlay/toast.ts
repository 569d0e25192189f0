// Short messages about background events. A problem of the page itself is an ErrorCard or a field's error.
import { errorReport, shownError } from '../feedback/shown-error.ts';
import { copyText } from '../button/copy-text.ts';

export interface ToastAction {
  readonly label: string;
  readonly onSelect: () => void;
}

/** Time in which somebody can read a message and use its action. */
const ACTION_MS = 20_000;

const actionOf = (action: ToastAction | undefined) =>
  action && { duration: ACTION_MS, action: { label: action.label, onClick: action.onSelect } };

const sonner = () => import('sonner').then((module) => module.toast);

/** Something was done; disappears by itself. */
export function toastDone(message: string, action?: ToastAction): void {
  void sonner().then((toast) => toast.success(message, actionOf(action)));
}

/** Something to know; disappears by itself. */
export function toastInfo(message: string): void {
  void sonner().then((toast) => toast(message));
}

/** Something failed: stays until dismissed. The same failure again replaces its toast. */
export function toastError(what: string, error: unknown): void {
  const shown = shownError(error);
  void sonner().then((toast) =>
    toast.error(what, {
      id: `${what}:${shown.code}`,
      description: shown.message,
      duration: Number.POSITIVE_INFINITY,
      action: { label: 'Copy details', onClick: () => void copyText(`${what}\n${errorReport(shown)}`) },
    }),
  );
}
