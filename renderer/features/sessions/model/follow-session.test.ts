// Following a Session from its stream.
import type { SessionEvent, SessionEventType, Turn } from '@svc/shared/api/sessions';
import { expect, test } from 'vitest';
import { followSession, type FollowHandlers, type SessionPort, type SessionView } from './follow-session.ts';

function event(seq: number, type: SessionEventType, turn?: string, payload: Readonly<Record<string, unknown>> = {}): SessionEvent {
  const timestamp = '2026-01-01T00:00:00.000Z';
  return { seq, type, session_name: 's', namespace: 'default', timestamp, ...(turn !== undefined && { turn_id: turn }), payload };
}

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
  const pages: number[] = [];
  let handlers: FollowHandlers | undefined;
  const port: SessionPort = {
    page: (after) => {
      pages.push(after);
      return Promise.resolve(events.slice(after));
    },
    follow: (given) => {
      handlers = given;
      return () => undefined;
    },
    turns: () => Promise.resolve(turns),
  };
  const schedule = (publish: () => void) => {
    publish();
    return () => undefined;
  };
  const stop = followSession({ port, head, schedule, onLive: ({ seq }) => live.push(seq) }, (view) => shown.push(summary(view)));
  return { shown, live, pages, stop, port: () => handlers };
}

test('a short Session is shown once it is read, and grows with the stream', async () => {
  const events = talk(3);
  const session = setup({ head: 8 });
  session.port()?.onEvents(events.slice(0, 4));
  expect(session.shown).toEqual([]);
  session.port()?.onEvents(events.slice(4, 8));
  session.port()?.onEvents(events.slice(6));
  expect(session.shown).toEqual(['following 2', 'following 3']);
  expect(session.live).toEqual([9, 10, 11, 12]);
  expect(session.pages).toEqual([]);
});

test('a long Session shows its newest turns while the others are read', async () => {
  const events = talk(1000);
  const session = setup({ events, head: 4000 });
  await expect.poll(() => session.shown).toEqual(['following partial 100']);
  session.port()?.onEvents(events);
  expect(session.shown).toEqual(['following partial 100', 'following 1000']);
});

test('a deletion in mid-read shows the turns that came', () => {
  const session = setup({ head: 8 });
  session.port()?.onEvents(talk(1));
  session.port()?.onEnd();
  expect(session.shown).toEqual(['following 1']);
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
  const session = setup({ turns: [old], head: 1 });
  session.port()?.onEvents([event(1, 'session.forked', undefined, { checkpoint_id: 'c', session: { namespace: 'n', name: 'x' } })]);
  await expect.poll(() => session.shown).toEqual(['following 1']);
});

test('a failed stream shows its error, and a stopped one shows nothing more', () => {
  const session = setup({ head: 4 });
  session.port()?.onError(new Error('lost'));
  session.stop();
  session.port()?.onEvents(talk(1));
  expect(session.shown).toEqual(['failed 0']);
});
