// Confirms one action on several runs, then shows its progress.
import { useMemo, useState } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { client } from '../../../live/api.ts';
import { BatchDialog as ProgressDialog, BatchLines } from '../../../ui/table/BatchDialog.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { doneKeys, useBatch } from '../../../ui/table/use-batch.ts';
import { batchText, planBatch, type BatchAction, type BatchPlan } from './batch.ts';
import { retryRun } from './use-retry.ts';
import { asRun, outcomeOf, runKey, type Run } from '../model/run.ts';

export interface BatchDialogProps {
  readonly action: BatchAction;
  readonly runs: readonly Run[];
  readonly blocked?: string | undefined;
  /** Receives the keys of the runs that the action succeeded for. */
  readonly onClose: (done: ReadonlySet<string>) => void;
}

/** Above that the number of runs is typed first. */
const TYPED_ABOVE = 50;

const NONE: ReadonlySet<string> = new Set();

/** The run after the action; for a retry the new one. */
async function act(action: BatchAction, run: Run): Promise<Run> {
  if (action === 'retry') return retryRun(run);
  const { namespace, name, uid } = run.metadata;
  return asRun(await client.runs.cancel.mutate({ namespace, name, uid }));
}

export function BatchDialog({ action, runs, blocked, onClose }: BatchDialogProps) {
  const now = useMemo(() => planBatch(action, runs), [action, runs]);
  // A run that the action has ended stays in the list of results.
  const [begun, setBegun] = useState<BatchPlan>();
  const plan = begun ?? now;
  const byKey = useMemo(() => new Map(plan.able.map((run) => [runKey(run), run])), [plan]);
  const batch = useBatch<Run, Run>(runKey);
  const words = batchText(action, plan);
  const items = plan.able.map((run) => ({ key: runKey(run), name: run.metadata.name }));
  const phaseNow = (key: string) => {
    const run = byKey.get(key);
    return run && <PhasePill phase={outcomeOf(run)} look="quiet" />;
  };
  if (batch.progress) {
    return (
      <ProgressDialog
        title={action === 'cancel' ? 'Cancelling runs' : 'Retrying runs'}
        items={items}
        batch={batch}
        progress={batch.progress}
        resultOf={(run) => <Result action={action} run={run} />}
        onClose={() => onClose(batch.progress ? doneKeys(batch.progress) : NONE)}
      />
    );
  }
  const start = () => {
    setBegun(plan);
    batch.start(plan.able, (run) => act(action, run));
  };
  return (
    <ConfirmDialog
      open
      onClose={() => onClose(NONE)}
      onConfirm={start}
      title={words.title}
      consequence={words.consequence}
      confirmLabel={words.confirm}
      cancelLabel={action === 'cancel' ? 'Keep running' : 'Cancel'}
      danger={action === 'cancel'}
      typed={plan.able.length > TYPED_ABOVE ? `${action} ${plan.able.length}` : undefined}
      disabledReason={plan.able.length === 0 ? 'Not possible for the selected runs' : blocked}
    >
      <BatchLines items={items} render={({ key }) => phaseNow(key)} />
    </ConfirmDialog>
  );
}

function Result({ action, run }: { readonly action: BatchAction; readonly run: Run }) {
  if (action === 'cancel') return <PhasePill phase={outcomeOf(run)} look="quiet" />;
  return <Link href={objectAddress({ kind: 'Task', ...run.metadata })}>{run.metadata.name}</Link>;
}
