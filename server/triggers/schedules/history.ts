// Runs of a schedule: the active ones, and finished ones up to the limits of the schedule.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { partName } from '../../registry/principal.ts';
import type { Registry } from '../../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import { TRIGGERS } from '../create-run.ts';
import { SCHEDULE } from './schedule-hooks.ts';

export const SCHEDULE_LABEL = 'svc.dev/task-schedule';
const CAUSE_LABEL = 'svc.dev/created-by';
const CAUSE = 'schedule';
/** Maximum of runs read: those that limits keep, the active ones, and some that people started by hand. */
const RUNS_MAX = 1_000;

export const runLabels = ({ name }: Pick<StoredObject, 'name'>) => ({ [CAUSE_LABEL]: CAUSE, [SCHEDULE_LABEL]: name });

export const isScheduled = (labels: Readonly<Record<string, string>>): boolean => labels[CAUSE_LABEL] === CAUSE;

export interface ScheduleRuns {
  /** `namespace/name` of runs that have not ended, oldest first. */
  readonly active: string[];
  /** Newest first. */
  readonly succeeded: StoredObject[];
  readonly failed: StoredObject[];
  /** When the newest success was completed. */
  readonly lastSucceeded: string | undefined;
}

/** Looks at the newest runs that this service made for the schedule; other Tasks with its label are left alone. */
export async function listRuns(reader: Pick<StoreReader, 'listObjects'>, { namespace, name }: StoredObject): Promise<ScheduleRuns> {
  const labels = [{ key: SCHEDULE_LABEL, op: 'eq', value: name }] as const;
  const found = await reader.listObjects({ kind: 'Task', namespace, labels, order: '-createdAt', limit: RUNS_MAX });
  const runs = found.filter(({ createdBy, labels: { [CAUSE_LABEL]: cause } }) => createdBy === partName('triggers') && cause === CAUSE);
  const phaseOf = (run: StoredObject) => statusOf('Task', run).phase;
  const ended: readonly string[] = TASK_TERMINAL_PHASES;
  const succeeded = runs.filter((run) => phaseOf(run) === 'Succeeded');
  const [lastSucceeded] = succeeded
    .flatMap((run) => statusOf('Task', run).completedAt ?? [])
    .sort()
    .reverse();
  return {
    active: runs
      .filter((run) => !ended.includes(phaseOf(run)))
      .map((run) => `${run.namespace}/${run.name}`)
      .reverse(),
    succeeded,
    failed: runs.filter((run) => ended.includes(phaseOf(run)) && phaseOf(run) !== 'Succeeded'),
    lastSucceeded,
  };
}

/** Deletes the oldest finished runs beyond the limits of the schedule. */
export async function pruneHistory(
  tx: StoreTransaction,
  registry: Pick<Registry, 'within'>,
  { schedule, runs }: { readonly schedule: StoredObject; readonly runs: ScheduleRuns },
): Promise<void> {
  const { successful_history_limit: succeeded, failed_history_limit: failed } = specOf(SCHEDULE, schedule);
  for (const { kind, namespace, name, uid } of [...runs.succeeded.slice(succeeded), ...runs.failed.slice(failed)])
    await registry.within(tx).remove(TRIGGERS, { kind, namespace, name, uid });
}
