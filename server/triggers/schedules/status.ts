// Status of a schedule: next slot, phase, and its runs; and the fact of a run that it started.
import { firesAfter, type CronClock } from '@svc/shared/cron/cron';
import { jsonEquals } from '@svc/shared/json';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { TaskScheduleStatus } from '@svc/shared/kinds/task-schedule/schema';
import type { ResourceKey } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import { replaceStatus, type Status } from '../../registry/own-writes.ts';
import { partName } from '../../registry/principal.ts';
import type { Registry } from '../../registry/registry.ts';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import { readTemplate } from '../create-run.ts';
import type { SettledRuns } from './history.ts';
import { SCHEDULE } from './schedule-hooks.ts';
import { slotText } from './slots.ts';

export interface ScheduleDeps {
  readonly clock: Clock;
  readonly registry: () => Pick<Registry, 'within'>;
}

export type StatusFields = Partial<TaskScheduleStatus>;

export function runFields({ namespace }: Pick<StoredObject, 'namespace'>, { runs, lastSucceeded }: SettledRuns): StatusFields {
  return {
    activeRuns: runs.active.map(({ name }) => `${namespace}/${name}`),
    ...(lastSucceeded !== undefined && { lastSuccessfulTime: lastSucceeded }),
  };
}

/** Problem of a next slot that only a clock that was ahead can have left: it is later than the two that are due next. */
export function leftOut(spec: CronClock, next: number | null, now: number): string | undefined {
  const [, second] = firesAfter(spec, now, 2);
  if (next === null || second === undefined || next <= second) return undefined;
  return `the clock was set back, and slots up to ${slotText(next)} are left out; suspend and resume the schedule to count from now`;
}

/** The caller holds the row of the schedule. */
export async function writeStatus(
  deps: Pick<ScheduleDeps, 'clock'>,
  tx: StoreTransaction,
  { schedule, fields, next }: { readonly schedule: StoredObject; readonly fields: StatusFields; readonly next: number | null },
): Promise<void> {
  const { lastError: _past, nextScheduleTime: _old, ...before } = statusOf(SCHEDULE, schedule);
  const spec = specOf(SCHEDULE, schedule);
  const suspended = spec.suspend === true;
  const template = await readTemplate(tx, spec.task_ref, schedule.namespace);
  const problem = typeof template === 'string' ? template : (leftOut(spec, next, deps.clock.now()) ?? fields.lastError);
  const status: Status = {
    ...before,
    ...fields,
    phase: suspended ? 'Suspended' : problem === undefined ? 'Ready' : 'Error',
    observedGeneration: schedule.generation,
    ...(problem !== undefined && { lastError: problem }),
    ...(next !== null && { nextScheduleTime: slotText(next) }),
  };
  if (!jsonEquals(status, schedule.status)) await replaceStatus(tx, schedule, { status, now: deps.clock.now(), by: partName('triggers') });
}

interface TriggeredRun {
  readonly time: string;
  /** `namespace/name` of the run. */
  readonly task: string;
  /** Absent for a run that a person started. */
  readonly slot?: string;
  /** Ends the sentence that names the run. */
  readonly why: string;
}

/** Appends the fact of a started run, in the transaction that creates it. */
export const appendTriggered = (tx: StoreTransaction, schedule: ResourceKey, { time, why, ...data }: TriggeredRun): Promise<void> =>
  tx.appendFact(schedule, time, {
    type: 'taskschedule.triggered',
    source: 'triggers',
    action: 'triggered',
    message: `started the run ${data.task} ${why}`,
    data,
  });
