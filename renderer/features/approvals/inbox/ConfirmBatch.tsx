// Confirms all selected calls at once, and shows their inputs. It shows and sends the selection of the moment it opened: the one behind it
// may change.
import { useMemo } from 'react';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { subjectOf } from '../model/approval.ts';
import { batchInputs } from './batch.ts';
import { BatchInputs } from './BatchInputs.tsx';
import type { QueueItem } from './queue.ts';

export interface BatchQuestion {
  readonly decision: 'approved' | 'denied';
  readonly items: readonly QueueItem[];
}

export interface ConfirmBatchProps {
  /** Undefined: closed. */
  readonly question: BatchQuestion | undefined;
  /** Reason why nothing can be decided now: the connection may be lost while the dialog is open. */
  readonly blocked: string | undefined;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

const NONE: readonly QueueItem[] = [];

export function ConfirmBatch({ question, blocked, onClose, onConfirm }: ConfirmBatchProps) {
  const { decision, items = NONE } = question ?? {};
  const inputs = useMemo(() => batchInputs(items), [items]);
  const denies = decision === 'denied';
  const count = items.length === 1 ? '1 call' : `${items.length} calls`;
  const subject = items[0] ? subjectOf(items[0].approval) : '';
  const problem = denies ? undefined : inputs.find((input) => input.problem !== undefined)?.problem;
  return (
    <ConfirmDialog
      open={question !== undefined}
      onClose={onClose}
      onConfirm={onConfirm}
      title={denies ? `Deny ${count} of ${subject}?` : `Approve ${count} of ${subject}?`}
      consequence={
        denies
          ? 'None of the calls runs, and each run ends as Denied.'
          : 'Each runs with exactly the requested input. Decisions are sent one by one and recorded separately.'
      }
      confirmLabel={denies ? `Deny ${count}` : `Approve ${count}`}
      cancelLabel="Back"
      danger={denies}
      disabledReason={blocked ?? problem}
    >
      <BatchInputs inputs={inputs} />
    </ConfirmDialog>
  );
}
