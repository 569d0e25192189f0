// The buttons of a decision. A disabled one says why.
import { Check, Lock, Undo2, X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { ShortcutKeys } from '../../../shortcuts/ShortcutKeys.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import type { DecisionWord } from './use-decision.ts';
import type { DecisionActs } from './use-decision-keys.ts';

export interface DecisionButtonsProps {
  /** The decision in flight. */
  readonly sending: DecisionWord | undefined;
  readonly approveLabel: string;
  readonly blocked: string | undefined;
  readonly approveBlocked: string | undefined;
  readonly changes: { readonly blocked: string | undefined } | undefined;
  readonly commented: boolean;
  readonly act: DecisionActs;
  readonly firstButton: RefObject<HTMLButtonElement | null>;
  /** Further choices, behind the decisions. */
  readonly more: ReactNode;
  /** Takes the focus when the choice is left to the person. */
  readonly group: RefObject<HTMLDivElement | null>;
}

const COMMENT_MISSING = 'Describe the required change in the comment, which the agent receives.';

export function DecisionButtons({
  sending,
  approveLabel,
  changes,
  commented,
  act,
  firstButton,
  group,
  more,
  ...why
}: DecisionButtonsProps) {
  const blocked = why.blocked ?? (sending === undefined ? undefined : 'A decision is being sent.');
  return (
    <div
      ref={group}
      role="group"
      aria-label={changes ? 'Approve, request changes or deny' : 'Choose Approve or Deny'}
      tabIndex={-1}
      className="group mt-2.5 flex flex-wrap items-center gap-2 rounded-md focus-visible:outline-offset-4"
    >
      <Button
        ref={firstButton}
        variant="primary"
        icon={<Check />}
        busy={sending === 'approved'}
        disabledReason={blocked ?? why.approveBlocked}
        onClick={act.approve}
      >
        {approveLabel}
        <ShortcutKeys id="approvals.approve" keys="a" className="max-sm:hidden" />
      </Button>
      {changes && (
        <Button
          icon={<Undo2 />}
          busy={sending === 'request_changes'}
          disabledReason={blocked ?? changes.blocked ?? (commented ? undefined : COMMENT_MISSING)}
          onClick={act.sendBack}
        >
          Request changes
          <ShortcutKeys id="approvals.changes" keys="r" className="max-sm:hidden" />
        </Button>
      )}
      <Button variant="danger-quiet" icon={<X />} busy={sending === 'denied'} disabledReason={blocked} onClick={act.deny}>
        Deny
        <ShortcutKeys id="approvals.deny" keys="d" className="max-sm:hidden" />
      </Button>
      {more}
      {!changes && <span className="hidden text-sm text-muted group-focus:inline">Choose Approve or Deny.</span>}
      {sending !== undefined && (
        <span role="status" className="text-sm text-muted">
          Sent. Waiting for the server…
        </span>
      )}
      {why.blocked !== undefined && (
        <span className="inline-flex min-w-0 items-center gap-1.5 text-sm text-muted">
          <Lock aria-hidden className="size-3.5 shrink-0" /> {why.blocked}
        </span>
      )}
      {why.blocked === undefined && changes?.blocked !== undefined && <span className="text-sm text-muted">{changes.blocked}</span>}
    </div>
  );
}
