// Chat requests that follow a Session, over stored events.
import { expect, test } from 'vitest';
import type { StoredObject } from '../store/store.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createChatService, type StartedChat } from './chat-service.ts';
import type { SessionDeps } from './run-orders.ts';

const EVENTS = [
  { type: 'approval.requested', payload: { kind: 'ToolApproval', name: 'first' } },
  { type: 'message.delta', payload: { delta: 'the answer' } },
];

/** Types of the events of a chat over objects in these phases, and the kinds of the objects read. */
async function follow(phases: Readonly<Record<string, string>>) {
  const stored = EVENTS.map(({ type, payload }, index) => ({
    seq: index + 1,
    type,
    timestamp: '2026-11-30T00:00:00.000Z',
    data: { payload },
  }));
  const read: string[] = [];
  const store = {
    onCommit: () => () => undefined,
    readEvents: (_owner: string, { after }: { after: number }) => Promise.resolve({ events: stored.slice(after), full: false }),
    getObject: ({ kind }: { kind: string }) => {
      read.push(kind);
      return Promise.resolve({ kind, uid: 'uid', status: { phase: phases[kind] } } as unknown as StoredObject);
    },
  };
  // Its time stands still, so a wait would not end.
  const deps = { store, clock: createManualClock() } as unknown as SessionDeps;
  const chat: StartedChat = {
    session: { namespace: 'default', name: 'chat', uid: 'uid' },
    created: 0,
    answersAtOnce: true,
    isShared: true,
  };
  const gone = new AbortController();
  const types: string[] = [];
  for await (const { items } of createChatService(deps).follow(chat, gone.signal)) {
    types.push(...items.map(({ type }) => type));
    gone.abort();
  }
  return { types, read };
}

test('a chat leaves out a decided approval of a running Session without a wait', async () => {
  expect((await follow({ Session: 'Running', ToolApproval: 'Approved' })).types).toEqual(['message.delta']);
});

test('a chat reads a pending approval of a waiting Session once', async () => {
  const { types, read } = await follow({ Session: 'WaitingApproval', ToolApproval: 'Pending' });
  expect(types).toEqual(['approval.requested', 'message.delta']);
  expect(read.filter((kind) => kind === 'ToolApproval')).toHaveLength(1);
});
