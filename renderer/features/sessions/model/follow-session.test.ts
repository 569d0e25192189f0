// Following a Session by pages of its events, then from its stream.
import type { SessionEvent, SessionEventType, Turn } from '@svc/shared/api/sessions';
import { expect, test } from 'vitest';
import { ObjectDeleted } from '../../../live/problem.ts';
import { followSession, type FollowHandlers, type SessionPort, type SessionView } from './follow-session.ts';

function event(seq: number, type: SessionEventType, turn?: string, payload: Readonly<Record<string, unknown>> = {}): SessionEvent {
  const timestamp = '2026-01-01T00:00:00.000Z';
  return { seq, type, session_name: 's', namespace: 'default', timestamp, ...(turn !== undefined && { turn_id: turn }), payload };
}

const PAGE_SIZE = 1000;

/** Four events for each turn. */
const talk = (turns: number): SessionEvent[] =>
  Array.from({ length: turns }, (_, index) => [
    event(4 * index + 1, 'message.created', `t${index}`, { content: `${index}` }),
    event(4 * index + 2, 'turn.started', `t${index}`),
    event(4 * index + 3, 'message.completed', `t${index}`, { role: 'assistant', content: 'a' }),
    event(4 * index + 4, 'turn.completed', `t${index}`),
  ]).flat();

/** At the time of the view: its conversation changes in place. */
const summary = ({ phase, partial, conversation }: SessionView) => `${phase}${partial ? ' partial' : ''} ${conversation.turns.length}`;

interface Setup {
  readonly events?: readonly SessionEvent[];
  readonly turns?: readonly Turn[];
  readonly head: number;
}

function setup({ events = [], turns = [], head }: Setup) {
  const shown: string[] = [];
  const live: number[] = [];
  const followedAfter: number[] = [];
  const stored = [...events];
  let handlers: FollowHandlers | undefined;
  const port: SessionPort = {
    page: (after) => {
      const items = stored.slice(after, after + PAGE_SIZE);
      return Promise.resolve({ items, ...(after + PAGE_SIZE < stored.length && { continue: String(after + PAGE_SIZE) }) });
    },
    follow: (after, given) => {
      followedAfter.push(after);
      handlers = given;
      return () => undefined;
    },
    turns: () => Promise.resolve(turns),
  };
  const schedule = (publish: () => void) => {
    publish();
    return () => undefined;
  };
  const options = { port, head, schedule, onLive: ({ seq }: SessionEvent) => live.push(seq) };
  const { readOn, stop } = followSession(options, (view) => shown.push(summary(view)));
  return { shown, live, followedAfter, stored, port, readOn, stop, stream: () => handlers };
}

test('a short Session is shown once it is read, and grows with the stream', async () => {
  const events = talk(3);
  const session = setup({ events: events.slice(0, 8), head: 8 });
  await session.readOn();
  session.stream()?.onEvents(events.slice(6));
  expect(session.shown).toEqual(['following 2', 'following 3']);
  expect(session.live).toEqual([9, 10, 11, 12]);
  expect(session.followedAfter).toEqual([8]);
});

test('a Session without a stream grows with each further read', async () => {
  const events = talk(3);
  const session = setup({ events: events.slice(0, 8), head: 8 });
  await session.readOn();
  session.stored.push(...events.slice(8));
  expect(await session.readOn()).toBe(12);
  expect(await session.readOn()).toBe(12);
  expect(session.shown).toEqual(['following 2', 'following 3']);
  expect(session.live).toEqual([9, 10, 11, 12]);
  expect(session.followedAfter).toEqual([8]);
});

test('a long Session shows its newest turns while the others are read', async () => {
  const session = setup({ events: talk(1000), head: 4000 });
  await session.readOn();
  expect(session.shown).toEqual(['following partial 100', 'following 1000']);
  expect(session.followedAfter).toEqual([4000]);
});

test('a deletion in mid-read shows the turns received so far', async () => {
  const session = setup({ events: talk(1000), head: 0 });
  const { page } = session.port;
  session.port.page = (after) =>
    after === 0 ? page(after) : Promise.reject(new ObjectDeleted({ kind: 'Session', namespace: 'default', name: 's' }));
  await session.readOn();
  expect(session.shown).toEqual([`following ${PAGE_SIZE / 4}`]);
});

test('history of a fork is read before it is shown', async () => {
  const old: Turn = {
    id: 'old',
    session_name: 's',
    namespace: 'default',
    queue_sequence: 1,
    content: 'first',
    phase: 'Succeeded',
    attempt: 1,
    idempotency_key: 'k',
    created_at: '2026-01-01T00:00:00.000Z',
  };
  const forked = event(1, 'session.forked', undefined, { checkpoint_id: 'c', session: { namespace: 'n', name: 'x' } });
  const session = setup({ events: [forked], turns: [old], head: 1 });
  await session.readOn();
  expect(session.shown).toEqual(['following 1']);
});

test('a failed stream shows its error, and a stopped one shows nothing more', async () => {
  const session = setup({ head: 0 });
  await session.readOn();
  session.stream()?.onError(new Error('lost'));
  session.stop();
  session.stream()?.onEvents(talk(1));
  expect(session.shown).toEqual(['following 0', 'failed 0']);
});
