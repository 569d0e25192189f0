// Requests of people about a schedule: its next due times, and a run at once.
import type { SchedulePreview } from '@svc/shared/api/schedules';
import { firesAfter } from '@svc/shared/cron';
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { createTriggeredRun } from '../create-run.ts';
import { listRuns, runLabels } from './history.ts';
import { readState, SCHEDULE } from './schedule-hooks.ts';
import { runName, slotText } from './slots.ts';
import { runFields, writeStatus } from './status.ts';

interface ScheduleName {
  readonly namespace: string;
  readonly name: string;
}

export const PREVIEW_DEFAULT = 5;
export const PREVIEW_MAX = 1_000;

export interface ScheduleService {
  /** The next due times, as if the schedule were not suspended. */
  preview(context: RequestContext, schedule: ScheduleName, count: number): Promise<SchedulePreview>;
  /** Runs it now, suspended or not. `conflict` while a run is active, and when the template gives no run. */
  trigger(context: RequestContext, schedule: ScheduleName): Promise<{ readonly task: string }>;
}

interface Deps {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

export function createScheduleService(deps: Deps): ScheduleService {
  return {
    async preview(context, schedule, count) {
      const spec = specOf(SCHEDULE, await deps.registry.get(context, { kind: SCHEDULE, ...schedule }));
      return { time_zone: spec.time_zone, items: firesAfter(spec, deps.clock.now(), count).map(slotText) };
    },
    trigger: (context, schedule) => trigger(deps, context, schedule),
  };
}

async function trigger({ store, registry, clock }: Deps, context: RequestContext, name: ScheduleName): Promise<{ task: string }> {
  requireRole(context, 'writer', 'starting the run of a schedule');
  const found = await registry.get(context, { kind: SCHEDULE, ...name });
  return transactAgain(store, async (tx) => {
    const schedule = await tx.getObjectForUpdate({ kind: SCHEDULE, ...name });
    const named = `TaskSchedule ${name.namespace}/${name.name}`;
    if (schedule?.uid !== found.metadata.uid) throw new ServiceError('not_found', `${named} does not exist`);
    const runs = await listRuns(tx, schedule);
    const [active] = runs.active;
    if (active !== undefined) throw new ServiceError('conflict', `${named} has an active run, ${active}; wait for it or cancel it`);
    const outcome = await createTriggeredRun(tx, registry, {
      trigger: schedule,
      taskRef: specOf(SCHEDULE, schedule).task_ref,
      name: runName(schedule.name, clock.now()),
      labels: runLabels(schedule),
      input: {},
      alsoBy: [context.identity.name],
    });
    if ('problem' in outcome) throw new ServiceError('conflict', `${named} cannot run: ${outcome.problem}`);
    const task = `${outcome.task.metadata.namespace}/${outcome.task.metadata.name}`;
    const { next = null } = (await readState(tx, schedule.uid)) ?? {};
    const fields = { ...runFields(runs), activeRuns: [task], lastTriggeredTask: task };
    await writeStatus({ clock }, tx, { schedule, fields, next });
    return { task };
  });
}
