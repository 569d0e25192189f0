// Confirms one action on several runs, then shows its progress.
import { useMemo } from 'react';
import { objectAddress } from '../../../navigation/addresses.ts';
import { client } from '../../../live/api.ts';
import { BatchDialog as ProgressDialog, BatchLines } from '../../../ui/table/BatchDialog.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { useBatch } from '../../../ui/table/use-batch.ts';
import { batchText, planBatch, type BatchAction } from './batch.ts';
import { retryRun } from './use-retry.ts';
import { asRun, outcomeOf, runKey, type Run } from '../model/run.ts';

export interface BatchDialogProps {
  readonly action: BatchAction;
  readonly runs: readonly Run[];
  readonly blocked?: string | undefined;
  readonly onClose: () => void;
}

/** The run after the action; for a retry the new one. */
async function act(action: BatchAction, run: Run): Promise<Run> {
  if (action === 'retry') return retryRun(run);
  const { namespace, name, uid } = run.metadata;
  return asRun(await client.runs.cancel.mutate({ namespace, name, uid }));
}

export function BatchDialog({ action, runs, blocked, onClose }: BatchDialogProps) {
  const plan = useMemo(() => planBatch(action, runs), [action, runs]);
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
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => batch.start(plan.able, (run) => act(action, run))}
      title={words.title}
      consequence={words.consequence}
      confirmLabel={words.confirm}
      cancelLabel={action === 'cancel' ? 'Keep running' : 'Cancel'}
      danger={action === 'cancel'}
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
