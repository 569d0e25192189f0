// Followers of a task against a store that is away for a while.
import { expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { CommitNotice, Store } from '../../store/store.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { followTask, untilSettled, viewTask } from './follow.ts';
import type { TaskRecord } from './records.ts';

const task = { namespace: 'default', name: 'run', uid: 'u' };
const record = { run: { kind: 'task', task }, id: 'u-1', contextId: 'c', messages: [], changedAt: 1_000 } as unknown as TaskRecord;

/** A store whose Task has each phase once; it is away at an undefined one. */
function storeOf(phases: (string | undefined)[]) {
  let commit = (_notice: CommitNotice): void => undefined;
  const store = {
    getDocument: () => Promise.resolve(record),
    getObject: () => {
      const phase = phases.shift();
      if (phase === undefined) return Promise.reject(new ServiceError('unavailable', 'the database is away'));
      return Promise.resolve({ kind: 'Task', ...task, spec: {}, status: { phase, output: {} } });
    },
    onCommit: (listener: (notice: CommitNotice) => void) => {
      commit = listener;
      return () => undefined;
    },
  } as unknown as Store;
  const grow = () => commit({ events: new Set(), journals: new Set([task.uid]) } as unknown as CommitNotice);
  return { store, phases, grow };
}

const outage = ['Running', undefined, undefined, 'Succeeded'];

test('an outage of the database delays the end of a waiting request', async () => {
  const { store, phases, grow } = storeOf([...outage]);
  const clock = createManualClock();
  const settled = untilSettled({ store, clock }, record, new AbortController().signal);
  await expect.poll(() => (grow(), clock.advance(1_000), phases.length)).toBe(0);
  expect(await settled).toMatchObject({ state: 'completed' });
});

test('an outage of the database delays a stream, and does not end it', async () => {
  const { store, phases, grow } = storeOf([...outage]);
  const clock = createManualClock();
  const { signal } = new AbortController();
  const stream = followTask({ store, clock }, record, { signal, eventsAfter: undefined, endsAtQuestion: false });
  expect((await stream.next()).value).toMatchObject({ kind: 'task', task: { state: 'working' } });
  const next = stream.next();
  await expect.poll(() => (grow(), clock.advance(1_000), phases.length)).toBe(0);
  expect((await next).value).toMatchObject({ task: { state: 'completed' } });
});

test('a follower that cannot begin fails', async () => {
  const { store } = storeOf([]);
  const deps = { store, clock: createManualClock() };
  await expect(viewTask(deps, record)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(untilSettled(deps, record, new AbortController().signal)).rejects.toMatchObject({ code: 'unavailable' });
});
