import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { CommitNotice, Store, StreamEvent } from '../store/store.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createEventReads, followSessionEvents } from './follow-events.ts';
import { streamOf } from './records.ts';

const session = { namespace: 'default', name: 's', uid: 'u' };
const away = () => Promise.reject(new ServiceError('unavailable', 'the database is away'));
const event = (seq: number): StreamEvent => ({ seq, type: 'turn.queued', timestamp: 't', data: {} });

/** A store whose reads answer as `answers` says, one after the other, and then with nothing. */
function storeOf(answers: (() => Promise<{ events: StreamEvent[]; full: boolean }>)[]) {
  const listeners = new Set<(notice: CommitNotice) => void>();
  const store = {
    readEvents: vi.fn(() => (answers.shift() ?? (() => Promise.resolve({ events: [], full: false })))()),
    getObject: () => Promise.resolve({ uid: 'u' }),
    onCommit: (listener: (notice: CommitNotice) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const commit = () => listeners.forEach((listener) => listener({ events: new Set([streamOf('u')]) } as unknown as CommitNotice));
  return { store: store as unknown as Store, commit };
}

it('an outage of the database delays events, and ends no stream', async () => {
  const { store, commit } = storeOf([
    () => Promise.resolve({ events: [event(1)], full: false }),
    away,
    away,
    () => Promise.resolve({ events: [event(2)], full: false }),
  ]);
  const ended = new AbortController();
  const clock = createManualClock();
  const stream = followSessionEvents({ store, clock, reads: createEventReads(store) }, session, { after: 0, signal: ended.signal });
  expect((await stream.next()).value).toMatchObject({ items: [{ seq: 1 }], more: false });
  const next = stream.next();
  // The poll that is due without a commit, in an outage, and the next one.
  commit();
  for (let look = 0; look < 2; look += 1) {
    await setImmediate();
    clock.advance(5_000);
  }
  expect((await next).value).toMatchObject({ items: [{ seq: 2 }], more: false });
  ended.abort();
  expect((await stream.next()).done).toBe(true);
});

it('a stream that cannot begin fails with the reason', async () => {
  const { store } = storeOf([away]);
  const source = { store, clock: createManualClock(), reads: createEventReads(store) };
  const stream = followSessionEvents(source, session, { after: 0, signal: new AbortController().signal });
  await expect(stream.next()).rejects.toMatchObject({ code: 'unavailable' });
});

it('readers of one Session read a new event once together', async () => {
  const { store, commit } = storeOf(
    [
      { events: [], full: false },
      { events: [event(1)], full: false },
    ].map((page) => () => Promise.resolve(page)),
  );
  const source = { store, clock: createManualClock(), reads: createEventReads(store) };
  const next = Array.from({ length: 20 }, () =>
    followSessionEvents(source, session, { after: 0, signal: new AbortController().signal }).next(),
  );
  await setImmediate();
  commit();
  expect(await Promise.all(next)).toEqual(
    next.map(() => ({ done: false, value: { items: [expect.objectContaining({ seq: 1 })], more: false } })),
  );
  expect(store.readEvents).toHaveBeenCalledTimes(2);
});
