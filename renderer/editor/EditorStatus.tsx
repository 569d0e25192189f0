// The line under an editor: number of problems, the server's state, and available keys.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { Kbd } from '../ui/text/Kbd.tsx';
import { Tooltip } from '../ui/overlay/Tooltip.tsx';
import type { TextProblem } from '../yaml/check-text.ts';
import type { TextChecking } from './use-text-check.ts';

export interface EditorStatusProps {
  readonly problems: readonly TextProblem[];
  readonly checking: TextChecking;
  readonly readOnly: boolean;
  readonly canSave: boolean;
}

const SERVER_TEXT = {
  off: '',
  waiting: 'Asking the server…',
  checked: 'Checked by the server',
  unable: 'Not checked by the server',
} as const;

function Count({ problems, severity }: { readonly problems: readonly TextProblem[]; readonly severity: TextProblem['severity'] }) {
  const count = problems.filter((each) => each.severity === severity).length;
  if (count === 0) return null;
  const Icon = { error: CircleAlert, warning: TriangleAlert, info: Info }[severity];
  const ink = { error: 'text-danger', warning: 'text-warn', info: 'text-info' }[severity];
  const word = { error: 'error', warning: 'warning', info: 'note' }[severity];
  return (
    <span className={`inline-flex items-center gap-1 ${ink}`}>
      <Icon aria-hidden className="size-3.5" />
      {count} {word}
      {count === 1 ? '' : 's'}
    </span>
  );
}

export function EditorStatus({ problems, checking, readOnly, canSave }: EditorStatusProps) {
  const server = SERVER_TEXT[checking.server];
  return (
    <div className="flex min-h-7 shrink-0 flex-wrap items-center gap-x-3 border-t border-border bg-sunken px-3 py-1 text-sm text-muted">
      <span role="status" className="flex flex-wrap items-center gap-x-3">
        {problems.length === 0 && !readOnly && (
          <span className="inline-flex items-center gap-1">
            <CircleCheck aria-hidden className="size-3.5 text-ok" />
            No problems
          </span>
        )}
        <Count problems={problems} severity="error" />
        <Count problems={problems} severity="warning" />
        <Count problems={problems} severity="info" />
      </span>
      {server !== '' &&
        (checking.reason === undefined ? (
          <span>{server}</span>
        ) : (
          <Tooltip text={checking.reason}>
            <span tabIndex={0}>{server}</span>
          </Tooltip>
        ))}
      <span className="ml-auto hidden items-center gap-3 sm:flex">
        {readOnly ? (
          'Read only'
        ) : (
          <>
            <span className="inline-flex items-center gap-1">
              <Kbd keys="Mod+Space" /> suggests
            </span>
            {canSave && (
              <span className="inline-flex items-center gap-1">
                <Kbd keys="Mod+S" /> saves
              </span>
            )}
            <span className="inline-flex items-center gap-1">
              <Kbd keys="Escape" /> then <Kbd keys="Tab" /> leaves
            </span>
          </>
        )}
      </span>
    </div>
  );
}
