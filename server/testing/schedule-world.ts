// A schedule named `nightly` over a real store, by a clock that the test sets.
import { expect, onTestFinished } from 'vitest';
import { createQueueConsumer, type QueueConsumer } from '../controllers/runtime/queue-consumer.ts';
import { partName } from '../registry/principal.ts';
import { updateStatus } from '../registry/own-writes.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { createRecheckHooks, RECHECK_QUEUE } from '../triggers/recheck.ts';
import { createTriggerTimers } from '../triggers/timers.ts';
import { RUN_ENDED_QUEUE, scheduleRunListener } from '../triggers/schedules/run-ended.ts';
import { createScheduleHooks, SCHEDULE_QUEUE } from '../triggers/schedules/schedule-hooks.ts';
import { createScheduleService, type ScheduleService } from '../triggers/schedules/schedule-service.ts';
import { keptLog } from './background.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { as, registryOver } from './registry-fixture.ts';

export interface ScheduleWorld {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly registry: Registry;
  readonly service: ScheduleService;
  /** Sets the clock, and has two servers handle what is due, at once, until nothing is. */
  readonly at: (time: string) => Promise<void>;
  readonly apply: (spec: object, name?: string) => Promise<void>;
  readonly status: (name?: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs of the schedule, oldest first. */
  readonly runs: () => Promise<string[]>;
  readonly end: (run: string, phase: 'Succeeded' | 'Failed') => Promise<void>;
}

async function openWorld(open: (clock: ManualClock) => Promise<Store>): Promise<ScheduleWorld> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const registry = registryOver(store, clock, { hooks: [...createRecheckHooks(), ...createScheduleHooks(clock)] });
  const timers = createTriggerTimers({ clock, registry: () => registry, lookUpSecret: () => Promise.resolve(undefined) });
  const { log, lines } = keptLog();
  const queues: readonly string[] = [SCHEDULE_QUEUE, RUN_ENDED_QUEUE, RECHECK_QUEUE];
  const handled = timers.filter(({ queue }) => queues.includes(queue));
  const consumers: QueueConsumer[] = ['a', 'b'].flatMap((owner) =>
    handled.map((timer) =>
      createQueueConsumer({ ...{ store, clock, log, owner, random: () => 0.5, leaseMs: 60_000, concurrency: 4 }, ...timer }),
    ),
  );
  const settle = async (): Promise<void> => {
    for (;;) {
      const taken = await Promise.all(consumers.map((each) => each.runOnce()));
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      if (taken.every((count) => count === 0)) return;
    }
  };
  const runObjects = () =>
    store.listObjects({
      kind: 'Task',
      labels: [{ key: 'svc.dev/task-schedule', op: 'eq', value: 'nightly' }],
      order: 'createdAt',
      limit: 100,
    });
  return {
    store,
    clock,
    registry,
    service: createScheduleService({ store, registry, clock }),
    async at(time) {
      clock.advance(Date.parse(time) - clock.now());
      await settle();
    },
    async apply(spec, name = 'nightly') {
      const body = { kind: 'TaskSchedule', metadata: { name }, spec: { task_ref: 'report', schedule: '0 2 * * *', ...spec } };
      await registry.post(as('writer'), { kind: 'TaskSchedule', namespace: 'default', body });
      // The status follows after this time.
      clock.advance(300);
      await settle();
    },
    status: async (name = 'nightly') => (await registry.get(as('reader'), { kind: 'TaskSchedule', namespace: 'default', name })).status,
    runs: async () => (await runObjects()).map(({ name }) => name),
    async end(run, phase) {
      const key = { kind: 'Task', namespace: 'default', name: run };
      await store.transaction(async (tx) => {
        const change = (status: StoredObject['status']) => ({ ...status, phase, completedAt: new Date(clock.now()).toISOString() });
        await updateStatus(tx, { key, clock, by: partName('engine'), change });
      });
      const task = await registry.get(as('reader'), key);
      const change = {
        kind: 'ended',
        how: 'succeeded',
        failure: undefined,
        output: {},
        usage: { inputTokens: 0, outputTokens: 0 },
      } as const;
      await store.transaction((tx) => scheduleRunListener.onRunChange(tx, task, change));
      await settle();
    },
  };
}

export async function putTemplate({ registry }: Pick<ScheduleWorld, 'registry'>): Promise<void> {
  const body = { kind: 'Task', metadata: { name: 'report' }, spec: { system: 'sys', mode: 'template', input: { topic: 'tides' } } };
  await registry.post(as('writer'), { kind: 'Task', namespace: 'default', body });
}

/** A schedule of this spec at noon of 2026-01-10, and its template. */
export async function scheduleWorld(open: (clock: ManualClock) => Promise<Store>, spec: object): Promise<ScheduleWorld> {
  const world = await openWorld(open);
  await world.at('2026-01-10T12:00:00Z');
  await putTemplate(world);
  await world.apply(spec);
  return world;
}
