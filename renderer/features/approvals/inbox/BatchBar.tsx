// Several equal low-risk calls decided with one confirmation: sent one after the other, each with its own answer.
import { Check, X, CircleCheck, CircleDashed, CircleHelp, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { ShortcutKeys } from '../../../shortcuts/ShortcutKeys.tsx';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { batchProblem, type QueueItem } from './queue.ts';
import { type Approval, subjectOf } from '../model/approval.ts';
import { ConfirmBatch, type BatchQuestion } from './ConfirmBatch.tsx';
import { useRefused } from '../model/use-approval-content.ts';
import { useBatch, type BatchResult } from './use-batch.ts';
import { cn } from '../../../ui/cn.ts';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export interface BatchBarProps {
  readonly items: readonly QueueItem[];
  readonly onClear: () => void;
  readonly onDecided: (decided: Approval) => void;
}

export function BatchBar({ items, onClear, onDecided }: BatchBarProps) {
  const [asking, setAsking] = useState<BatchQuestion>();
  const { reason } = useCanWrite('approver');
  const batch = useBatch(onDecided);
  const [first] = items;
  const refused = useRefused(items.map(({ approval }) => approval));
  const problem = reason ?? refused ?? batchProblem(items);
  const ask = (decision: BatchQuestion['decision']) => problem === undefined && setAsking({ decision, items });
  useBatchKeys({ when: first !== undefined, ask, onClear });
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
          <Button size="sm" variant="primary" icon={<Check />} disabledReason={problem} onClick={() => ask('approved')}>
            Approve all
            <ShortcutKeys id="approvals.approveAll" keys="shift+a" className="max-lg:hidden" />
          </Button>
          <Button size="sm" variant="danger-quiet" icon={<X />} disabledReason={problem} onClick={() => ask('denied')}>
            Deny all
            <ShortcutKeys id="approvals.denyAll" keys="shift+d" className="max-lg:hidden" />
          </Button>
          <Button size="sm" variant="ghost" onClick={onClear}>
            Clear
          </Button>
        </div>
      )}
      <ConfirmBatch question={asking} blocked={reason} onClose={() => setAsking(undefined)} onConfirm={start} />
      <Dialog
        open={batch.results.length > 0}
        onClose={() => {
          batch.clear();
          onClear();
        }}
        closable={!batch.running}
        title={batch.running ? 'Sending…' : batch.results.every(({ state }) => state === 'done') ? 'Done' : 'Not all were decided'}
      >
        <BatchResults results={batch.results} />
      </Dialog>
    </>
  );
}

interface BatchKeys {
  readonly when: boolean;
  readonly ask: (decision: BatchQuestion['decision']) => void;
  readonly onClear: () => void;
}

const group = 'Approvals';

function useBatchKeys({ when, ask, onClear }: BatchKeys): void {
  const approve = () => ask('approved');
  const deny = () => ask('denied');
  useShortcut({ group, when, id: 'approvals.approveAll', keys: 'shift+a', label: 'Approve selected', run: approve });
  useShortcut({ group, when, id: 'approvals.denyAll', keys: 'shift+d', label: 'Deny selected', run: deny });
  useShortcut({ group, when, id: 'approvals.clear', keys: 'z', label: 'Clear the selection', quiet: true, run: onClear });
}

/** Result of each decision of a batch. */
function BatchResults({ results }: { readonly results: readonly BatchResult[] }) {
  return (
    <ol aria-live="polite" className="flex max-h-96 flex-col gap-1.5 overflow-auto">
      {results.map(({ approval, state, problem }) => (
        <li key={approval.uid} className="flex items-start gap-2 text-base">
          <span aria-hidden className="mt-0.5 [&_svg]:size-4">
            {state === 'done' && <CircleCheck className="text-ok" />}
            {state === 'waiting' && <CircleDashed className="text-faint" />}
            {state === 'sending' && <Spinner />}
            {state === 'refused' && <TriangleAlert className="text-danger" />}
            {state === 'unknown' && <CircleHelp className="text-warn" />}
            {state === 'unsent' && <CircleDashed className="text-warn" />}
          </span>
          <span className="min-w-0 flex-1">
            <UntrustedText text={`${subjectOf(approval)} · ${approval.task.name}`} />
            <span className="sr-only"> {state}</span>
            {problem !== undefined && (
              <span className={cn('block text-sm', state === 'refused' ? 'text-danger' : 'text-warn')}>
                <UntrustedText text={problem} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
