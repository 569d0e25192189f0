// Conversations in files: a round trip, and files that no export wrote.
import type { SessionEvent, SessionEventType, Turn } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { describe, expect, test } from 'vitest';
import { writeConversationFile } from './conversation-file.ts';
import { readConversationBlob, readConversationFile } from './read-conversation-file.ts';

const AT = '2026-01-05T10:00:00.000Z';

const eventsOf = (...told: readonly (readonly [SessionEventType, object?])[]): SessionEvent[] =>
  told.map(([type, payload = {}], index) => ({
    ...{ seq: index + 1, type, session_name: 'desk', namespace: 'ops', turn_id: 't1', timestamp: AT, payload: { ...payload } },
  }));

const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const events = eventsOf(
  ['message.created', { role: 'user', content: 'Pay the invoice' }],
  ['turn.queued', { queue_sequence: 2 }],
  ['turn.started', { worker: 'w', task: 'session-desk-1' }],
  ['tool.started', { request_id: 'r1', tool: 'pay', input: { sum: 3 } }],
  ['tool.completed', { request_id: 'r1', tool: 'pay', output: 'paid', latency_ms: 4 }],
  ['message.delta', { delta: 'Do' }],
  ['message.completed', { role: 'assistant', content: 'Done.', usage }],
  ['turn.completed', { usage }],
);
const history: Turn = {
  ...{ id: 't0', session_name: 'desk', namespace: 'ops', queue_sequence: 1, content: 'Hello', phase: 'Succeeded', attempt: 1 },
  ...{ idempotency_key: 'k', output: { last_output: 'Hi' }, created_at: AT },
};
const session = { namespace: 'ops', name: 'desk', system: 'helpers', phase: 'WaitingInput' } as const;
const written = JSON.parse(writeConversationFile({ exported_at: AT, session, events, turns: [history] })) as Record<string, unknown>;
const textOf = (change: object) => JSON.stringify({ ...written, ...change });
const withPayload = (payload: object) => textOf({ events: [{ ...events[0], payload }] });

test('an exported conversation is read back with every turn', async () => {
  const conversation = new Conversation();
  for (const event of events) conversation.apply(event);
  conversation.addHistory([history]);
  const read = await readConversationFile(textOf({}));
  expect(read).toMatchObject({ exportedAt: AT, session });
  expect(read.conversation.turns).toEqual(conversation.turns);
  expect(read.conversation.turns.map(({ content, text }) => [content, text])).toEqual([
    ['Hello', 'Hi'],
    ['Pay the invoice', 'Done.'],
  ]);
});

test('a file of the first versions has the answer of a turn as text', async () => {
  const read = await readConversationFile(textOf({ turns: [{ ...history, output: 'Hi' }] }));
  expect(read.conversation.turns[0]?.text).toBe('Hi');
});

test('types of events of a newer server are skipped', async () => {
  const [first] = events;
  const read = await readConversationFile(textOf({ events: [first, { ...first, seq: 2, type: 'turn.pondered', novelty: 1 }] }));
  expect(read.conversation.turns.at(-1)?.content).toBe('Pay the invoice');
});

test('reading a long file reports its progress', async () => {
  const long = Array.from({ length: 5_000 }, (_, index) => ({ ...events[0], seq: index + 1 }));
  const parts: number[] = [];
  await readConversationFile(textOf({ events: long }), (part) => parts.push(part));
  expect(parts).toEqual([0.4, 0.8]);
});

test('a file above the limit is refused with both sizes before it is read', async () => {
  const file = { size: 200 * 1024 * 1024, text: () => Promise.reject(new Error('read')) } as unknown as Blob;
  await expect(readConversationBlob(file, () => undefined)).rejects.toThrow(/has 200 MB; at most 128 MB/);
});

describe('a file that no export wrote is refused with the reason', () => {
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;
  test.each<[string, string, RegExp]>([
    ['text that is no JSON', 'nonsense{', /not JSON/],
    ['a list', '[]', /contains no conversation/],
    ['another format', textOf({ format: 'otlp' }), /format is "otlp"/],
    ['a trace', textOf({ format: 'svc-trace' }), /This is a trace file; open it in Runs/],
    ['a newer version', textOf({ version: 9 }), /version 9 .* newer one/],
    ['an export at no time', textOf({ exported_at: 'noon' }), /"exported_at"/],
    ['no Session', textOf({ session: undefined }), /The Session/],
    ['a name with markup', textOf({ session: { ...session, name: '<b>' } }), /The Session .*name/],
    ['a system with a path', textOf({ session: { ...session, system: '../../x' } }), /system/],
    ['a phase with markup', textOf({ session: { ...session, phase: '<b>' } }), /phase/],
    ['no events', textOf({ events: {} }), /"events"/],
    ['no turns', textOf({ turns: undefined }), /"turns"/],
    ['an event at no time', textOf({ events: [{ ...events[0], timestamp: 'noon' }] }), /Event 1 .*timestamp is not a time/],
    ['an event without a payload', textOf({ events: [{ ...events[0], payload: 'x' }] }), /Event 1 .*payload/],
    ['events out of order', textOf({ events: [events[1], events[0]] }), /Event 2 is out of order/],
    ['a message of megabytes', withPayload({ content: 'x'.repeat(2 ** 20 + 1) }), /payload is too long/],
    ['an input of many levels', withPayload({ input: deep }), /payload is nested too deep/],
    ['usage that is no number', withPayload({ usage: { ...usage, total_tokens: {} } }), /usage\.total_tokens/],
    ['turns of one id', textOf({ turns: [history, history] }), /Turn 2 has the id/],
    ['a turn in an unknown phase', textOf({ turns: [{ ...history, phase: 'Elsewhere' }] }), /Turn 1 .*phase/],
  ])('%s', (_what, content, reason) => expect(readConversationFile(content)).rejects.toThrow(reason));

  test('deltas that add up to megabytes', () => {
    const delta = 'x'.repeat(2 ** 19);
    const told = eventsOf(...Array.from({ length: 3 }, () => ['message.delta', { delta }] as const));
    return expect(readConversationFile(textOf({ events: told }))).rejects.toThrow(/Event 3 makes its turn larger/);
  });

  test('a turn of very many parts', () => {
    const told = eventsOf(...Array.from({ length: 10_001 }, () => ['error', { message: 'no' }] as const));
    return expect(readConversationFile(textOf({ events: told }))).rejects.toThrow(/Event 10001 makes its turn larger/);
  });
});
