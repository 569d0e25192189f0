// Chat requests that follow a Session, over stored events.
import { expect, test } from 'vitest';
import type { StoredObject } from '../store/store.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createChatService, type StartedChat } from './chat-service.ts';
import type { SessionDeps } from './run-orders.ts';

const PHASES: Readonly<Record<string, string>> = { Session: 'Running', ToolApproval: 'Approved' };
const EVENTS = [
  { type: 'approval.requested', payload: { kind: 'ToolApproval', name: 'first' } },
  { type: 'message.delta', payload: { delta: 'the answer' } },
];

test('a chat leaves out a decided approval of a running Session without a wait', async () => {
  const stored = EVENTS.map(({ type, payload }, index) => ({
    seq: index + 1,
    type,
    timestamp: '2026-11-30T00:00:00.000Z',
    data: { payload },
  }));
  const store = {
    onCommit: () => () => undefined,
    readEvents: (_owner: string, { after }: { after: number }) => Promise.resolve({ events: stored.slice(after), full: false }),
    getObject: ({ kind }: { kind: string }) =>
      Promise.resolve({ kind, uid: 'uid', status: { phase: PHASES[kind] } } as unknown as StoredObject),
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
  for await (const { items } of createChatService(deps).follow(chat, gone.signal)) {
    expect(items.map(({ type }) => type)).toEqual(['message.delta']);
    gone.abort();
  }
});
