// Schedules over real stores, by a clock that the test sets: each slot once, and what becomes of missed, held back and failed ones.
import { describe, expect, it } from 'vitest';
import { storeEngines } from '../../testing/background.ts';
import { as } from '../../testing/registry-fixture.ts';
import { putTemplate, scheduleWorld } from '../../testing/schedule-world.ts';
import { createClockWatch } from './clock-watch.ts';
import { SCHEDULE_QUEUE } from './schedule-hooks.ts';

const MINUTE = 60_000;
const MISSING = 'template Task default/report does not exist, or is not a template (spec.mode: template)';

describe.each(storeEngines.filter(({ skip }) => !skip))('schedules over $name', ({ open }) => {
  const world = (spec: object = {}) => scheduleWorld(open, spec);

  it('run each slot once on any number of servers', async () => {
    const { at, runs, status, store, end } = await world();
    expect(await status()).toMatchObject({ phase: 'Ready', nextScheduleTime: '2026-01-11T02:00:00Z', activeRuns: [] });
    await at('2026-01-11T01:59:59Z');
    expect(await runs()).toEqual([]);
    await at('2026-01-11T02:00:00Z');
    expect(await runs()).toEqual(['nightly-20260111-0200']);
    expect(await store.getObject({ kind: 'Task', namespace: 'default', name: 'nightly-20260111-0200' })).toMatchObject({
      labels: {
        'svc.dev/created-by': 'schedule',
        'svc.dev/task-schedule': 'nightly',
        'svc.dev/task-schedule-slot': '2026-01-11T02:00:00Z',
      },
      spec: { mode: 'run', system: 'sys', input: { topic: 'tides' } },
      createdBy: 'system:triggers',
      alsoBy: ['the-writer'],
    });
    expect(await status()).toMatchObject({
      lastScheduleTime: '2026-01-11T02:00:00Z',
      lastTriggeredTask: 'default/nightly-20260111-0200',
      nextScheduleTime: '2026-01-12T02:00:00Z',
      activeRuns: ['default/nightly-20260111-0200'],
    });
    await at('2026-01-11T02:00:30Z');
    await end('nightly-20260111-0200', 'Succeeded');
    expect(await status()).toMatchObject({ activeRuns: [], lastSuccessfulTime: '2026-01-11T02:00:30.000Z' });
    await at('2026-01-12T02:00:01Z');
    expect(await runs()).toEqual(['nightly-20260111-0200', 'nightly-20260112-0200']);
  });

  it('cost nothing between their slots', async () => {
    const { at, store } = await world();
    const { head } = await store.changeBounds();
    await at('2026-01-10T23:00:00Z');
    expect((await store.changeBounds()).head).toBe(head);
    expect(await store.nextWorkAt(SCHEDULE_QUEUE, Date.parse('2026-01-10T23:00:00Z'))).toBe(Date.parse('2026-01-11T02:00:00Z'));
  });

  it('leave a slot out while a run is active, and do not make up for it', async () => {
    const { at, runs, status, end } = await world({ schedule: '*/5 * * * *' });
    await at('2026-01-10T12:05:00Z');
    await at('2026-01-10T12:10:00Z');
    expect(await runs()).toHaveLength(1);
    expect(await status()).toMatchObject({ lastScheduleTime: '2026-01-10T12:10:00Z', nextScheduleTime: '2026-01-10T12:15:00Z' });
    await end('nightly-20260110-1205', 'Failed');
    expect(await runs()).toHaveLength(1);
    await at('2026-01-10T12:15:00Z');
    expect(await runs()).toEqual(['nightly-20260110-1205', 'nightly-20260110-1215']);
  });

  it('run the newest of several missed slots, within the deadline', async () => {
    const { at, runs, status } = await world({ schedule: '*/5 * * * *', starting_deadline_seconds: 240 });
    await at('2026-01-10T15:03:00Z');
    expect(await runs()).toEqual(['nightly-20260110-1500']);
    expect(await status()).toMatchObject({ nextScheduleTime: '2026-01-10T15:05:00Z' });
  });

  it('report in the event log which runs they started, for which slot or at whose request', async () => {
    const { at, end, service, store } = await world();
    await at('2026-01-11T02:00:00Z');
    await at('2026-01-12T02:00:00Z');
    await end('nightly-20260111-0200', 'Succeeded');
    await service.trigger(as('writer'), { namespace: 'default', name: 'nightly' });
    const facts = (await store.readChanges({ after: 0, limit: 1_000 })).flatMap((change) => (change.fact ? [change] : []));
    const triggered = { kind: 'TaskSchedule', namespace: 'default', name: 'nightly', type: 'fact' };
    const fact = { type: 'taskschedule.triggered', source: 'triggers', action: 'triggered' };
    const [first, second] = ['default/nightly-20260111-0200', 'default/nightly-20260112-0200'];
    expect(facts).toMatchObject([
      {
        ...triggered,
        timestamp: '2026-01-11T02:00:00.000Z',
        fact: {
          ...fact,
          message: `started the run ${first} for the slot 2026-01-11T02:00:00Z`,
          data: { task: first, slot: '2026-01-11T02:00:00Z' },
        },
      },
      { ...triggered, fact: { ...fact, message: `started the run ${second} at the request of the-writer`, data: { task: second } } },
    ]);
  });

  it('start no run after the deadline', async () => {
    const { at, runs, status } = await world({ starting_deadline_seconds: 240 });
    await at('2026-01-11T02:04:01Z');
    expect(await runs()).toEqual([]);
    expect(await status()).toMatchObject({ nextScheduleTime: '2026-01-12T02:00:00Z' });
    expect(await status()).not.toHaveProperty('lastScheduleTime');
  });

  it('run a slot once although the clock is set back', async () => {
    const { at, runs, clock } = await world();
    await at('2026-01-11T02:00:00Z');
    clock.advance(Date.parse('2026-01-11T01:00:00Z') - clock.now());
    await at('2026-01-11T02:00:00Z');
    expect(await runs()).toHaveLength(1);
  });

  it('report a clock that was set back by more than a slot, until they count from now', async () => {
    const { at, status, apply, clock } = await world();
    await at('2026-03-01T02:00:00Z');
    clock.advance(Date.parse('2026-01-20T12:00:00Z') - clock.now());
    await apply({ failed_history_limit: 1 });
    expect(await status()).toMatchObject({
      phase: 'Error',
      lastError:
        'the clock was set back, and slots up to 2026-03-02T02:00:00Z are left out; suspend and resume the schedule to count from now',
      nextScheduleTime: '2026-03-02T02:00:00Z',
    });
    await apply({ suspend: true });
    await apply({});
    expect(await status()).toMatchObject({ phase: 'Ready', nextScheduleTime: '2026-01-21T02:00:00Z' });
    expect(await status()).not.toHaveProperty('lastError');
  });

  it('no longer report a clock that is right again once a run has ended', async () => {
    const { at, runs, end, status, clock, apply } = await world({ schedule: '0 * * * *' });
    await at('2026-01-10T13:00:00Z');
    clock.advance(-24 * 60 * 60_000);
    await apply({ schedule: '0 * * * *', failed_history_limit: 2 });
    expect(await status()).toMatchObject({ phase: 'Error' });
    clock.advance(24 * 60 * 60_000);
    const [run = ''] = await runs();
    await end(run, 'Succeeded');
    expect(await status()).toMatchObject({ phase: 'Ready' });
    expect(await status()).not.toHaveProperty('lastError');
  });

  it('report a clock that was set back without a write', async () => {
    const { at, status, clock, store } = await world();
    let uptimeMs = 0;
    const watch = createClockWatch({ store, clock }, () => uptimeMs);
    await at('2026-01-11T12:00:00Z');
    uptimeMs += 24 * 60 * 60_000;
    await watch();
    clock.advance(Date.parse('2026-01-08T12:00:00Z') - clock.now());
    expect(await status()).toMatchObject({ phase: 'Ready' });
    await watch();
    await at('2026-01-08T12:00:00Z');
    const lastError = expect.stringContaining('the clock was set back') as string;
    expect(await status()).toMatchObject({ phase: 'Error', lastError, nextScheduleTime: '2026-01-12T02:00:00Z' });
  });

  it('report a clock that was set back while no server ran', async () => {
    const { at, status, clock, store } = await world();
    await at('2026-01-11T12:00:00Z');
    clock.advance(Date.parse('2026-01-08T12:00:00Z') - clock.now());
    await createClockWatch({ store, clock }, () => 0)();
    await at('2026-01-08T12:00:00Z');
    const lastError = expect.stringContaining('the clock was set back') as string;
    expect(await status()).toMatchObject({ phase: 'Error', lastError });
  });

  it('have no next time while suspended, and count from their resumption', async () => {
    const { at, runs, status, apply } = await world({ suspend: true });
    expect(await status()).toMatchObject({ phase: 'Suspended' });
    expect(await status()).not.toHaveProperty('nextScheduleTime');
    await at('2026-01-11T02:01:00Z');
    await apply({});
    expect(await runs()).toEqual([]);
    expect(await status()).toMatchObject({ phase: 'Ready', nextScheduleTime: '2026-01-12T02:00:00Z', observedGeneration: 2 });
  });

  it('count from a change of the expression, and keep their slot with any other change', async () => {
    const { at, runs, status, apply } = await world({ schedule: '0 13 * * *' });
    await at('2026-01-10T12:30:00Z');
    await apply({ schedule: '0 12 * * *' });
    expect(await status()).toMatchObject({ nextScheduleTime: '2026-01-11T12:00:00Z' });
    await apply({ schedule: '0 12 * * *', failed_history_limit: 1 });
    await at('2026-01-11T12:00:00Z');
    expect(await runs()).toEqual(['nightly-20260111-1200']);
  });

  it('continue at the next slot when the template was missing, and report it', async () => {
    const { at, runs, status, registry, service } = await world({ schedule: '0 * * * *' });
    await registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: 'report' });
    await at('2026-01-10T12:30:00Z');
    expect(await status()).toMatchObject({ phase: 'Error', lastError: MISSING });
    await at('2026-01-10T13:00:00Z');
    expect(await status()).toMatchObject({ phase: 'Error', lastScheduleTime: '2026-01-10T13:00:00Z' });
    const post = (mode: string) => {
      const body = { kind: 'Task', metadata: { name: 'report' }, spec: { system: 'sys', mode } };
      return registry.post(as('writer'), { kind: 'Task', namespace: 'default', body });
    };
    // No recheck follows an ordinary Task of that name, so the sentence covers it.
    await post('run');
    await at('2026-01-10T13:20:00Z');
    expect(await status()).toMatchObject({ phase: 'Error', lastError: MISSING });
    await expect(service.trigger(as('writer'), { namespace: 'default', name: 'nightly' })).rejects.toThrow(MISSING);
    await post('template');
    await at('2026-01-10T13:30:00Z');
    expect(await status()).toMatchObject({ phase: 'Ready' });
    await at('2026-01-10T14:00:00Z');
    expect(await runs()).toEqual(['nightly-20260110-1400']);
  });

  it('report a missing template and recover when it exists again, also when there are many', async () => {
    const { at, apply, store, registry, status } = await world();
    await registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: 'report' });
    // More than a page of 50 by each of the two ways to name the template.
    const many = 130;
    const ref = (n: number) => (n % 2 === 0 ? 'report' : 'default/report');
    for (let n = 0; n < many; n += 1) {
      const body = { kind: 'TaskSchedule', metadata: { name: `s${n}` }, spec: { task_ref: ref(n), schedule: '0 2 * * *' } };
      await registry.post(as('writer'), { kind: 'TaskSchedule', namespace: 'default', body });
    }
    await at('2026-01-10T12:30:00Z');
    const count = (phase: string) =>
      store.countObjects({ kind: 'TaskSchedule', fields: [{ path: 'status.phase', op: 'eq', value: phase }], max: 2_000 });
    expect(await count('Error')).toMatchObject({ count: many + 1 });
    await putTemplate({ registry });
    await at('2026-01-10T12:40:00Z');
    expect(await count('Ready')).toMatchObject({ count: many + 1 });
    expect(await status()).not.toHaveProperty('lastError');
    await apply({ suspend: true });
    expect(await status()).toMatchObject({ phase: 'Suspended' });
  }, 60_000);

  it('keep as many finished runs as their limits allow, and delete no other runs', async () => {
    const { at, runs, end, registry } = await world({ schedule: '*/5 * * * *', successful_history_limit: 2, failed_history_limit: 1 });
    const labels = { 'svc.dev/task-schedule': 'nightly', 'svc.dev/created-by': 'schedule' };
    const body = { kind: 'Task', metadata: { name: 'mine', labels }, spec: { system: 'sys', mode: 'template' } };
    await registry.post(as('writer'), { kind: 'Task', namespace: 'default', body });
    const outcomes = ['Succeeded', 'Failed', 'Succeeded', 'Failed', 'Succeeded'] as const;
    for (const [n, outcome] of outcomes.entries()) {
      const minute = String(5 * (n + 1)).padStart(2, '0');
      await at(`2026-01-10T12:${minute}:00Z`);
      await end(`nightly-20260110-12${minute}`, outcome);
    }
    expect(await runs()).toEqual(['mine', 'nightly-20260110-1215', 'nightly-20260110-1220', 'nightly-20260110-1225']);
  });

  it('leave the runs of a deleted schedule of their name alone', async () => {
    const { at, runs, end, registry, apply, status } = await world({ schedule: '*/5 * * * *' });
    await at('2026-01-10T12:05:00Z');
    await end('nightly-20260110-1205', 'Succeeded');
    await at('2026-01-10T12:10:00Z');
    await registry.remove(as('writer'), { kind: 'TaskSchedule', namespace: 'default', name: 'nightly' });
    await apply({ schedule: '0 2 * * *', successful_history_limit: 0 });
    expect(await runs()).toEqual(['nightly-20260110-1205', 'nightly-20260110-1210']);
    expect(await status()).toMatchObject({ activeRuns: [] });
    await end('nightly-20260110-1210', 'Succeeded');
    expect(await runs()).toEqual(['nightly-20260110-1205', 'nightly-20260110-1210']);
  });

  it('follow the end of a run whose labels were replaced', async () => {
    const { at, end, registry, status } = await world();
    await at('2026-01-11T02:00:00Z');
    const run = { kind: 'Task', namespace: 'default', name: 'nightly-20260111-0200' };
    const labels = { 'svc.dev/created-by': null, 'svc.dev/task-schedule': null };
    await registry.patch(as('writer'), { ...run, body: { metadata: { labels } } });
    expect(await status()).toMatchObject({ activeRuns: ['default/nightly-20260111-0200'] });
    await end(run.name, 'Succeeded');
    expect(await status()).toMatchObject({ lastSuccessfulTime: '2026-01-11T02:00:00.000Z' });
    expect(await status()).toMatchObject({ activeRuns: [] });
  });

  it('take the next free name for a run whose name is taken', async () => {
    const { at, runs, registry } = await world();
    const body = { kind: 'Task', metadata: { name: 'nightly-20260111-0200' }, spec: { system: 'sys', mode: 'template' } };
    await registry.post(as('writer'), { kind: 'Task', namespace: 'default', body });
    await at('2026-01-11T02:00:00Z');
    expect(await runs()).toEqual(['nightly-20260111-0200-2']);
  });

  it('fire by the rules of their time zone on days on which clocks change', async () => {
    const { at, runs, apply, end } = await world();
    await at('2026-03-08T05:00:00Z');
    await apply({ schedule: '30 2 * * *', time_zone: 'America/New_York', successful_history_limit: 100 });
    await at('2026-03-08T07:00:00Z');
    expect(await runs()).toEqual(['nightly-20260308-0700']);
    await end('nightly-20260308-0700', 'Succeeded');
    await at('2026-03-08T07:30:00Z');
    expect(await runs()).toHaveLength(1);
    await apply({ schedule: '30 1 * * *', time_zone: 'America/New_York', suspend: true });
    await at('2026-11-01T04:00:00Z');
    await apply({ schedule: '30 1 * * *', time_zone: 'America/New_York' });
    for (const time of ['05:30', '06:30']) await at(`2026-11-01T${time}:00Z`);
    expect(await runs()).toEqual(['nightly-20260308-0700', 'nightly-20261101-0530']);
  });

  it('list their next times, and run at once unless a run is active', async () => {
    const { service, runs, status, clock } = await world({ suspend: true, time_zone: 'Europe/Berlin' });
    const name = { namespace: 'default', name: 'nightly' };
    expect(await service.preview(as('reader'), name, 2)).toEqual({
      time_zone: 'Europe/Berlin',
      items: ['2026-01-11T01:00:00Z', '2026-01-12T01:00:00Z'],
    });
    clock.advance(Date.parse('2026-01-10T12:34:56Z') - clock.now());
    expect(await service.trigger(as('writer'), name)).toEqual({ task: 'default/nightly-20260110-1234' });
    await expect(service.trigger(as('writer'), name)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('active run') as string,
    });
    await expect(service.trigger(as('reader'), name)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await runs()).toHaveLength(1);
    expect(await status()).toMatchObject({ phase: 'Suspended', activeRuns: ['default/nightly-20260110-1234'] });
    await expect(service.trigger(as('writer'), { ...name, name: 'absent' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('record the outcome of each slot, including those without a run', async () => {
    const { at, apply, end, service, registry } = await world({ schedule: '*/5 * * * *', starting_deadline_seconds: 60 });
    const name = { namespace: 'default', name: 'nightly' };
    const slots = async () =>
      (await service.slots(as('reader'), name)).map(({ id: _id, time: _time, ...slot }) =>
        [slot.slot?.slice(11, 16) ?? null, slot.outcome, slot.count, slot.task, slot.phase, slot.reason].filter((each) => each !== null),
      );
    await at('2026-01-10T12:05:00Z');
    await at('2026-01-10T12:10:00Z');
    await end('nightly-20260110-1205', 'Failed');
    await at('2026-01-10T12:32:00Z');
    await apply({ schedule: '*/5 * * * *', starting_deadline_seconds: 60, suspend: true });
    await at('2026-01-10T12:46:00Z');
    await apply({ schedule: '*/5 * * * *', starting_deadline_seconds: 60 });
    await registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: 'report' });
    await at('2026-01-10T12:50:00Z');
    await putTemplate({ registry });
    await service.trigger(as('writer'), name);
    const late = 'more than 60 s late, or superseded by a later slot that was due';
    expect(await slots()).toEqual([
      ['started', 1, 'default/nightly-20260110-1250', 'started by the-writer'],
      ['12:50', 'failed', 1, MISSING],
      ['12:45', 'suspended', 3, 'the schedule was suspended'],
      ['12:30', 'missed', 4, late],
      ['12:10', 'held_back', 1, 'the run default/nightly-20260110-1205 was active'],
      ['12:05', 'started', 1, 'default/nightly-20260110-1205', 'Failed'],
    ]);
    await registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: 'nightly-20260110-1250' });
    await at('2026-01-10T12:55:00Z');
    expect((await slots()).slice(0, 2)).toEqual([
      ['12:55', 'started', 1, 'default/nightly-20260110-1255'],
      ['started', 1, 'default/nightly-20260110-1250', 'Deleted', 'started by the-writer'],
    ]);
  });

  it('record a due slot that a change leaves out', async () => {
    const { clock, apply, runs, service } = await world();
    clock.advance(Date.parse('2026-01-11T02:00:00Z') - clock.now());
    await apply({ schedule: '0 3 * * *' });
    const reason = 'the schedule was changed before the slot ran';
    const slots = await service.slots(as('reader'), { namespace: 'default', name: 'nightly' });
    expect(slots).toMatchObject([{ slot: '2026-01-11T02:00:00Z', outcome: 'missed', count: 1, reason }]);
    expect(await runs()).toEqual([]);
  });

  it('record the newest 100 slots', async () => {
    const { at, service, store, registry } = await world({ schedule: '* * * * *' });
    const name = { namespace: 'default', name: 'nightly' };
    for (let minute = 1; minute <= 104; minute += 1) await at(new Date(Date.parse('2026-01-10T12:00:00Z') + minute * MINUTE).toISOString());
    const slots = await service.slots(as('reader'), name);
    expect(slots.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_each, n) => String(104 - n)));
    expect(new Set(slots.map(({ outcome }) => outcome))).toEqual(new Set(['held_back']));
    await registry.remove(as('writer'), { kind: 'TaskSchedule', ...name });
    expect(await store.listDocuments('schedule.slot', '', 10)).toEqual([]);
    expect(await store.listDocuments('schedule.state', '', 10)).toEqual([]);
  });

  it('read no run but the active one for a slot', async () => {
    const { at, store, end } = await world({ schedule: '*/5 * * * *', successful_history_limit: 5 });
    const read: string[] = [];
    const list = store.transaction.bind(store);
    store.transaction = (work) =>
      list((tx) =>
        work(
          new Proxy(tx, {
            get(target, method) {
              const value: unknown = Reflect.get(target, method);
              if (typeof value !== 'function') return value;
              return (...args: unknown[]) => {
                if (method === 'listObjects' && (args[0] as { kind: string }).kind === 'Task') read.push('list');
                return (value as (...given: unknown[]) => unknown).apply(target, args);
              };
            },
          }),
        ),
      );
    for (let n = 1; n <= 8; n += 1) {
      const slot = new Date(Date.parse('2026-01-10T12:00:00Z') + n * 5 * MINUTE).toISOString();
      await at(slot);
      await end(`nightly-20260110-${slot.slice(11, 16).replace(':', '')}`, 'Succeeded');
    }
    // The first handling of a schedule reads runs of an older version.
    expect(read.length).toBeLessThanOrEqual(1);
  });

  it('take over the runs of a version that kept no count of them', async () => {
    const { at, runs, store, end } = await world({ schedule: '*/5 * * * *', successful_history_limit: 2 });
    for (const minute of ['05', '10', '15']) {
      await at(`2026-01-10T12:${minute}:00Z`);
      if (minute !== '15') await end(`nightly-20260110-12${minute}`, 'Succeeded');
    }
    const schedule = await store.getObject({ kind: 'TaskSchedule', namespace: 'default', name: 'nightly' });
    const { next } = (await store.getDocument('schedule.state', schedule?.uid ?? '')) ?? {};
    await store.transaction((tx) => tx.putDocument('schedule.state', schedule?.uid ?? '', { next }));
    await at('2026-01-10T12:20:00Z');
    expect(await runs()).toHaveLength(3);
    await end('nightly-20260110-1215', 'Succeeded');
    expect(await runs()).toEqual(['nightly-20260110-1210', 'nightly-20260110-1215']);
  });

  it('leave nothing behind when they are deleted', async () => {
    const { registry, at, runs, store } = await world();
    await registry.remove(as('writer'), { kind: 'TaskSchedule', namespace: 'default', name: 'nightly' });
    await at('2026-01-11T02:00:00Z');
    expect(await runs()).toEqual([]);
    expect(await store.countWork(SCHEDULE_QUEUE, Date.now() + 10 * MINUTE)).toMatchObject({ ready: 0, waiting: 0, claimed: 0 });
  });
});
