// Backfills over real stores: which due times get a run, what a repeat does, and what is refused.
import { describe, expect, it } from 'vitest';
import { storeEngines } from '../../testing/background.ts';
import { as } from '../../testing/registry-fixture.ts';
import { scheduleWorld, type ScheduleWorld } from '../../testing/schedule-world.ts';

const NIGHTLY = { namespace: 'default', name: 'nightly' };
const WEEK = { from: '2026-01-05T02:00:00Z', to: '2026-01-08T02:00:00Z' };
const SLOTS = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08'].map((day) => `${day}T02:00:00Z`);
const NAMES = ['0105', '0106', '0107', '0108'].map((day) => `nightly-2026${day}-0200`);
const TASKS = NAMES.map((name) => `default/${name}`);

const backfill = ({ service }: ScheduleWorld, range: object = WEEK) => service.backfill(as('writer'), NIGHTLY, range);
const preview = ({ service }: ScheduleWorld, range: object = WEEK) => service.previewBackfill(as('reader'), NIGHTLY, range);
const taskOf = ({ store }: ScheduleWorld, name: string) => store.getObject({ kind: 'Task', namespace: 'default', name });

describe.each(storeEngines.filter(({ skip }) => !skip))('backfills over $name', ({ open }) => {
  const world = (spec: object = {}) => scheduleWorld(open, spec);

  it('start the runs of past due times once, as their slots would have', async () => {
    const it = await world({ suspend: true });
    const items = SLOTS.map((slot) => ({ slot, task: null, created: false }));
    expect(await preview(it)).toEqual({ time_zone: 'UTC', items, unrecorded_before: null });
    expect(await it.runs()).toEqual([]);
    const made = items.map((item, at) => ({ ...item, task: TASKS[at], created: true }));
    expect(await backfill(it)).toEqual({ time_zone: 'UTC', items: made, unrecorded_before: null });
    expect(await taskOf(it, 'nightly-20260105-0200')).toMatchObject({
      labels: {
        'svc.dev/created-by': 'schedule',
        'svc.dev/task-schedule': 'nightly',
        'svc.dev/task-schedule-slot': SLOTS[0],
        'svc.dev/task-schedule-backfill': new Date(it.clock.now()).toISOString(),
      },
      spec: { mode: 'run', system: 'sys', input: { topic: 'tides' } },
      createdBy: 'system:triggers',
      alsoBy: ['the-writer'],
    });
    expect(await it.status()).toMatchObject({ phase: 'Suspended', activeRuns: TASKS, lastTriggeredTask: TASKS.at(-1) });
    const again = made.map((item) => ({ ...item, created: false }));
    expect(await backfill(it)).toMatchObject({ items: again });
    expect(await preview(it)).toMatchObject({ items: again });
    expect((await it.runs()).sort()).toEqual(NAMES);
  });

  it('start each run once when two come at once', async () => {
    const it = await world();
    const results = await Promise.all([backfill(it), backfill(it)]);
    expect(results.map(({ items }) => items.filter(({ created }) => created).length).sort()).toEqual([0, 4]);
    expect(await it.runs()).toHaveLength(4);
  });

  it('leave a fact for each run, and one record', async () => {
    const it = await world();
    await backfill(it);
    const facts = (await it.store.readChanges({ after: 0, limit: 1_000 })).flatMap(({ fact }) => (fact ? [fact] : []));
    expect(facts).toHaveLength(4);
    expect(facts[0]).toEqual({
      ...{ type: 'taskschedule.triggered', source: 'triggers', action: 'triggered' },
      message: `started the run ${TASKS[0]} for the slot ${SLOTS[0]}, at the request of the-writer`,
      data: { task: TASKS[0], slot: SLOTS[0] },
    });
    expect(await it.service.slots(as('reader'), NIGHTLY)).toMatchObject([
      {
        ...{ slot: SLOTS.at(-1), count: 4, outcome: 'backfilled', task: null, phase: null },
        reason: `from ${SLOTS[0]} on, at the request of the-writer`,
      },
    ]);
  });

  it('leave out a slot that the schedule ran, even when the limits deleted its run', async () => {
    const it = await world({ successful_history_limit: 1 });
    for (const day of ['11', '12']) {
      await it.at(`2026-01-${day}T02:00:00Z`);
      await it.end(`nightly-202601${day}-0200`, 'Succeeded');
    }
    expect(await taskOf(it, 'nightly-20260111-0200')).toBeUndefined();
    const { items } = await backfill(it, { from: '2026-01-10T00:00:00Z', to: '2026-01-12T02:00:00Z' });
    expect(items.map(({ task, created }) => [task, created])).toEqual([
      ['default/nightly-20260110-0200', true],
      ['default/nightly-20260111-0200', false],
      ['default/nightly-20260112-0200', false],
    ]);
  });

  it('start a run again after it was deleted', async () => {
    const it = await world();
    await backfill(it);
    for (const name of NAMES) await it.end(name, 'Failed');
    await it.registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: NAMES[1] ?? '' });
    const { items } = await backfill(it);
    expect(items.map(({ created }) => created)).toEqual([false, true, false, false]);
  });

  it('take no name of another Task, and no Task of another creator for a run', async () => {
    const it = await world();
    const labels = { 'svc.dev/task-schedule': 'nightly', 'svc.dev/task-schedule-slot': SLOTS[0] };
    const body = { kind: 'Task', metadata: { name: NAMES[0], labels }, spec: { system: 'sys' } };
    await it.registry.post(as('writer'), { kind: 'Task', namespace: 'default', body });
    const { items } = await backfill(it);
    expect(items[0]).toEqual({ slot: SLOTS[0], task: `${TASKS[0]}-2`, created: true });
  });

  it('hold slots back until their runs ended, which the history limits do not delete', async () => {
    const it = await world({ successful_history_limit: 1 });
    await backfill(it);
    await it.at('2026-01-11T02:00:00Z');
    expect(await it.status()).toMatchObject({ activeRuns: TASKS });
    await expect(it.service.trigger(as('writer'), NIGHTLY)).rejects.toMatchObject({ code: 'conflict' });
    for (const name of NAMES) await it.end(name, 'Succeeded');
    await it.at('2026-01-12T02:00:00Z');
    await it.end('nightly-20260112-0200', 'Succeeded');
    await it.at('2026-01-13T02:00:00Z');
    await it.end('nightly-20260113-0200', 'Succeeded');
    expect((await it.runs()).sort()).toEqual([...NAMES, 'nightly-20260113-0200']);
  });

  it('are refused while a run is active, unless they have nothing to start', async () => {
    const it = await world();
    await it.at('2026-01-11T02:00:00Z');
    const active = 'TaskSchedule default/nightly has an active run, default/nightly-20260111-0200; wait for it or cancel it';
    await expect(backfill(it)).rejects.toMatchObject({ code: 'conflict', message: active });
    expect(await it.runs()).toHaveLength(1);
    const { items } = await backfill(it, { from: '2026-01-11T00:00:00Z', to: '2026-01-11T02:00:00Z' });
    expect(items).toMatchObject([{ created: false }]);
  });

  it('leave a slot to the schedule that has yet to handle it', async () => {
    const it = await world();
    it.clock.advance(Date.parse('2026-01-11T02:00:00Z') - it.clock.now());
    const range = { from: '2026-01-10T00:00:00Z', to: '2026-01-11T02:00:00Z' };
    const message = 'TaskSchedule default/nightly has yet to handle 2026-01-11T02:00:00Z; try again, or choose an earlier end';
    for (const call of [preview, backfill]) await expect(call(it, range)).rejects.toMatchObject({ code: 'conflict', message });
    await it.at('2026-01-11T02:00:00Z');
    expect((await preview(it, range)).items.map(({ task }) => task)).toEqual([null, 'default/nightly-20260111-0200']);
  });

  it('store nothing when the template gives no run', async () => {
    const it = await world();
    await it.registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: 'report' });
    await expect(backfill(it)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('template Task') as string });
    expect(await it.service.slots(as('reader'), NIGHTLY)).toEqual([]);
  });

  it('have each due time once on days on which clocks change', async () => {
    const it = await world({ schedule: '30 2 * * *', time_zone: 'Europe/Berlin' });
    const spring = await preview(it, { from: '2025-03-29T00:00:00Z', to: '2025-03-31T12:00:00Z' });
    expect(spring.items.map(({ slot }) => slot)).toEqual(['2025-03-29T01:30:00Z', '2025-03-30T01:00:00Z', '2025-03-31T00:30:00Z']);
    const autumn = await preview(it, { from: '2025-10-25T12:00:00Z', to: '2025-10-27T00:00:00+01:00' });
    expect(autumn.items.map(({ slot }) => slot)).toEqual(['2025-10-26T00:30:00Z']);
  });

  it('report slots whose records are gone', async () => {
    const it = await world({ schedule: '*/5 * * * *' });
    for (let at = Date.parse('2026-01-10T12:05:00Z'), n = 0; n < 102; n += 1, at += 300_000) await it.at(new Date(at).toISOString());
    const found = await preview(it, { from: '2026-01-10T12:00:00Z', to: '2026-01-10T13:00:00Z' });
    expect(found.unrecorded_before).toBe('2026-01-10T12:15:00.000Z');
    expect((await preview(it, { from: '2026-01-10T12:15:00Z', to: '2026-01-10T13:00:00Z' })).unrecorded_before).toBeNull();
  });

  it('have at most 100 due times', async () => {
    const it = await world({ schedule: '0 * * * *' });
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-05T03:00:00Z' };
    expect((await backfill(it, range)).items).toHaveLength(100);
    const message = 'to is too late: a backfill has at most 100 due times, the last of them here 2026-01-05T03:00:00Z';
    await expect(preview(it, { ...range, to: '2026-01-05T04:00:00Z' })).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'to', message: message.slice(3) }],
      message: `The backfill is invalid: ${message}`,
    });
  });

  it.each([
    [{}, { from: 'must be an RFC 3339 time', to: 'must be an RFC 3339 time' }],
    [{ from: '2026-01-05', to: '2026-01-06T00:00:00Z' }, { from: 'must be an RFC 3339 time' }],
    [{ from: '2026-01-06T00:00:00Z', to: '2026-01-05T00:00:00Z' }, { from: 'must not be after "to"' }],
    [{ from: '2026-01-06T00:00:00Z', to: '2026-01-11T00:00:00Z' }, { to: 'must not be in the future' }],
  ])('refuse the range %j', async (range, problems) => {
    const it = await world();
    for (const call of [preview, backfill]) {
      const error = await call(it, range).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'invalid' });
      const { details } = error as { details: { path: string; message: string }[] };
      expect(details.map(({ path }) => path)).toEqual(Object.keys(problems));
      for (const { path, message } of details) expect(message).toContain((problems as Record<string, string>)[path]);
    }
    expect(await it.runs()).toEqual([]);
  });

  it('start nothing for a range without due times, and read the earliest range', async () => {
    const it = await world();
    expect((await backfill(it, { from: '2026-01-05T03:00:00Z', to: '2026-01-05T04:00:00Z' })).items).toEqual([]);
    expect((await preview(it, { from: '0001-01-01T00:00:00Z', to: '0001-01-01T12:00:00Z' })).items).toHaveLength(1);
  });

  it('need a writer', async () => {
    const it = await world();
    await expect(it.service.backfill(as('reader'), NIGHTLY, WEEK)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
