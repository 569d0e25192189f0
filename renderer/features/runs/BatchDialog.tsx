// Asks before one action is taken on several runs, then shows how each of them goes.
import { CircleAlert, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';
import { useMemo } from 'react';
import { objectAddress } from '../../app/addresses.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Link } from '../../ui/Link.tsx';
import { PhasePill } from '../../ui/PhasePill.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { batchWords, planBatch, tally, type BatchAction, type ItemState } from './batch.ts';
import { phaseOf, runKey, type Run } from './run.ts';
import { useBatch } from './use-batch.ts';

export interface BatchDialogProps {
  readonly action: BatchAction;
  readonly runs: readonly Run[];
  readonly blocked?: string | undefined;
  readonly onClose: () => void;
}

const LISTED_MAX = 200;

export function BatchDialog({ action, runs, blocked, onClose }: BatchDialogProps) {
  const plan = useMemo(() => planBatch(action, runs), [action, runs]);
  const batch = useBatch();
  const words = batchWords(action, plan);
  if (batch.progress === undefined) {
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        onConfirm={() => batch.start(action, plan.able)}
        title={words.title}
        consequence={words.consequence}
        confirmLabel={words.confirm}
        cancelLabel={action === 'cancel' ? 'Keep running' : 'Not now'}
        danger={action === 'cancel'}
        disabledReason={plan.able.length === 0 ? 'None of the selected runs allow it' : blocked}
      >
        <RunList runs={plan.able} stateOf={() => undefined} />
      </ConfirmDialog>
    );
  }
  const { progress } = batch;
  const { done, failed, open } = tally(progress);
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!batch.busy}
      title={action === 'cancel' ? 'Cancelling runs' : 'Retrying runs'}
      description={
        <span role="status">
          {done} of {progress.size} done{failed > 0 && `, ${failed} failed`}
        </span>
      }
      footer={batch.busy ? <Button onClick={batch.stop}>Stop after these</Button> : <Button onClick={onClose}>Close</Button>}
    >
      <div
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={progress.size}
        aria-valuenow={progress.size - open}
        className="mb-3 h-1 overflow-hidden rounded-full bg-neutral-soft"
      >
        <div
          className="h-full bg-accent transition-[width]"
          style={{ width: `${((progress.size - open) / Math.max(1, progress.size)) * 100}%` }}
        />
      </div>
      <RunList runs={plan.able} stateOf={(run) => progress.get(runKey(run))} />
    </Dialog>
  );
}

function RunList({ runs, stateOf }: { readonly runs: readonly Run[]; readonly stateOf: (run: Run) => ItemState | undefined }) {
  return (
    <ul className="flex max-h-72 flex-col overflow-auto rounded-md border border-border">
      {runs.slice(0, LISTED_MAX).map((run) => (
        <li key={runKey(run)} className="flex min-h-8 items-center gap-2 border-b border-border/60 px-3 py-1 last:border-0">
          <span className="min-w-0 flex-1 truncate">{run.metadata.name}</span>
          <Outcome run={run} item={stateOf(run)} />
        </li>
      ))}
      {runs.length > LISTED_MAX && <li className="px-3 py-1 text-muted">and {runs.length - LISTED_MAX} more</li>}
    </ul>
  );
}

function Outcome({ run, item }: { readonly run: Run; readonly item: ItemState | undefined }) {
  switch (item?.state) {
    case undefined:
      return <PhasePill phase={phaseOf(run)} look="quiet" />;
    case 'queued':
      return <CircleDashed aria-label="Queued" className="size-4 text-faint" />;
    case 'running':
      return <Spinner label="Under way" />;
    case 'skipped':
      return (
        <span className="flex items-center gap-1 text-muted">
          <CircleSlash aria-hidden className="size-4" /> left out
        </span>
      );
    case 'failed':
      return (
        <span className="flex min-w-0 items-center gap-1 text-danger">
          <CircleAlert aria-hidden className="size-4 shrink-0" /> <span className="break-words">{item.error.message}</span>
        </span>
      );
    case 'done':
      return item.made ? (
        <Link href={objectAddress({ kind: 'Task', ...item.made })}>{item.made.name}</Link>
      ) : (
        <span className="flex items-center gap-1">
          <CircleCheck aria-hidden className="size-4 text-ok" /> <PhasePill phase={item.phase} look="quiet" />
        </span>
      );
  }
}
