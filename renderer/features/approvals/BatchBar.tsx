// Several equal low-risk calls decided with one confirmation: sent one after the other, each with its own answer.
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../app/can-write.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { batchProblem, type QueueItem } from './queue.ts';
import type { Approval } from './approval.ts';
import { BatchResults } from './BatchResults.tsx';
import { ConfirmBatch, type BatchQuestion } from './ConfirmBatch.tsx';
import { useBatch } from './use-batch.ts';

export interface BatchBarProps {
  readonly items: readonly QueueItem[];
  readonly onClear: () => void;
  readonly onDecided: (decided: Approval) => void;
}

export function BatchBar({ items, onClear, onDecided }: BatchBarProps) {
  const [asking, setAsking] = useState<BatchQuestion>();
  const { reason } = useCanWrite();
  const batch = useBatch(onDecided);
  const [first] = items;
  const problem = reason ?? batchProblem(items);
  const start = () => {
    if (asking)
      batch.start(
        asking.items.map(({ approval }) => approval),
        asking.decision,
      );
    setAsking(undefined);
  };
  return (
    <>
      {first && (
        <div
          role="group"
          aria-label="Selected approvals"
          className="flex flex-wrap items-center gap-2 border-t border-border bg-surface p-3"
        >
          <span className="flex-1 text-sm text-muted">{items.length} selected</span>
          <Button
            size="sm"
            variant="primary"
            icon={<Check />}
            disabledReason={problem}
            onClick={() => setAsking({ decision: 'approved', items })}
          >
            Approve all
          </Button>
          <Button
            size="sm"
            variant="danger-quiet"
            icon={<X />}
            disabledReason={problem}
            onClick={() => setAsking({ decision: 'denied', items })}
          >
            Deny all
          </Button>
          <Button size="sm" variant="ghost" onClick={onClear}>
            Clear
          </Button>
        </div>
      )}
      <ConfirmBatch question={asking} onClose={() => setAsking(undefined)} onConfirm={start} />
      <Dialog
        open={batch.results.length > 0}
        onClose={() => {
          batch.clear();
          onClear();
        }}
        closable={!batch.running}
        title={batch.running ? 'Sending…' : 'Done'}
      >
        <BatchResults results={batch.results} />
      </Dialog>
    </>
  );
}
