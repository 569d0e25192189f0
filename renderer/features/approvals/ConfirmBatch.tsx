// Asks once for all selected calls. It shows and sends what was in sight when it opened: the selection behind it may change.
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { subjectOf } from './approval.ts';
import type { QueueItem } from './queue.ts';

export interface BatchQuestion {
  readonly decision: 'approved' | 'denied';
  readonly items: readonly QueueItem[];
}

export interface ConfirmBatchProps {
  /** Undefined: closed. */
  readonly question: BatchQuestion | undefined;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

export function ConfirmBatch({ question, onClose, onConfirm }: ConfirmBatchProps) {
  const { decision, items = [] } = question ?? {};
  const denies = decision === 'denied';
  const count = items.length === 1 ? '1 call' : `${items.length} calls`;
  const subject = items[0] ? subjectOf(items[0].approval) : '';
  return (
    <ConfirmDialog
      open={question !== undefined}
      onClose={onClose}
      onConfirm={onConfirm}
      title={denies ? `Deny ${count} of ${subject}?` : `Approve ${count} of ${subject}?`}
      consequence={
        denies
          ? 'None of them is made, and each of their runs ends as Failed.'
          : 'Each runs with exactly the input it was asked with. They are sent one after the other, and each is recorded by itself.'
      }
      confirmLabel={denies ? `Deny ${count}` : `Approve ${count}`}
      cancelLabel="Back"
      danger={denies}
    />
  );
}
