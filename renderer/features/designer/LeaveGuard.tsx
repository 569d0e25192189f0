// The question before a designer with unsaved changes is left.
import { useRouter, type BlockerFn, type RouterHistory } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';

export interface LeaveGuardProps {
  readonly dirty: boolean;
  /** The page navigates by itself, without a question. */
  readonly leaving: { readonly current: boolean };
}

const PAST_BLOCKERS = { ignoreBlocker: true };

/** The navigation that was blocked, once more and without a question. */
function leavingTo(history: RouterHistory, { currentLocation, nextLocation, action }: Parameters<BlockerFn>[0]): () => void {
  const { href, state } = nextLocation;
  if (action === 'PUSH') return () => history.push(href, state, PAST_BLOCKERS);
  if (action === 'REPLACE') return () => history.replace(href, state, PAST_BLOCKERS);
  const steps = state.__TSR_index - currentLocation.state.__TSR_index;
  return () => history.go(steps, PAST_BLOCKERS);
}

/**
 * Leaving asks for confirmation while there are unsaved changes. The draft stays, so that a wrong answer costs nothing. The address is back
 * before the question is shown: a second press of Back asks again, and cannot leave the console from the entry in front of it.
 */
export function LeaveGuard({ dirty, leaving }: LeaveGuardProps) {
  const history = useRouter().history as RouterHistory;
  const [leave, setLeave] = useState<() => void>();
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: () => dirty,
        blockerFn: ({ currentLocation, nextLocation, action }) => {
          if (!dirty || leaving.current || currentLocation.pathname === nextLocation.pathname) return false;
          setLeave(() => leavingTo(history, { currentLocation, nextLocation, action }));
          return true;
        },
      }),
    [history, dirty, leaving],
  );
  return (
    <ConfirmDialog
      open={leave !== undefined}
      onClose={() => setLeave(undefined)}
      onConfirm={() => leave?.()}
      title="Leave without applying?"
      consequence="The system stays as it was. Your changes are kept as a draft on this machine and offered when you come back."
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger={false}
    />
  );
}
