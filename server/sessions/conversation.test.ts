// Conversations by reference: bounds, what is left out, reads, and the same messages in another process.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { CONVERSATION_MAX_BYTES } from '../engine/core/limits.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { Conversations } from './conversation.ts';
import { putChat, putTurn, type TurnRecord } from './records.ts';

let store: Store;
beforeEach(async () => (store = await openSqliteStore({ path: ':memory:', clock: systemClock })));
afterEach(() => store.close());

const UID = 'session-1';

function turn(sequence: number, fields: Partial<TurnRecord> = {}): TurnRecord {
  const id = `turn-${sequence}`;
  const times = { createdAt: '2026-01-01T00:00:00.000Z', idempotencyKey: id, createdBy: 'ann' };
  const text = { content: `question ${sequence}`, output: `answer ${sequence}` };
  return { id, sequence, phase: 'Succeeded', attempt: 1, parent: sequence - 1, ...times, ...text, ...fields };
}

const write = (...turns: TurnRecord[]) =>
  store.transaction(async (tx) => {
    for (const each of turns) await putTurn(tx, UID, each);
  });
const many = (count: number) => Array.from({ length: count }, (_, index) => turn(index + 1));
const newest = (upTo: number, bounds = {}, turns = upTo) => new Conversations().newest(store, { uid: UID, upTo }, { bounds, turns });
const texts = (messages: readonly { readonly content: string }[] | undefined) => messages?.map(({ content }) => content);

test('a conversation has every turn in its order; another process reads the same one by its reference', async () => {
  await write(...many(100));
  const found = await newest(100);
  expect(texts(found?.messages)).toEqual(many(100).flatMap(({ content, output }) => [content, output]));
  expect(found?.ref).toMatchObject({ upTo: 100, parts: 100 });
  expect(found?.ref.leftOut).toBeUndefined();
  if (found) expect(await new Conversations().read(store, UID, found.ref)).toEqual(found.messages);
});

test('turns that were undone are left out of the conversation', async () => {
  await write(turn(1), turn(2, { phase: 'Cancelled' }), turn(3, { parent: 1 }));
  expect(texts((await newest(3))?.messages)).toEqual(['question 1', 'answer 1', 'question 3', 'answer 3']);
});

test('max_turns keeps the newest turns, counts the others and names itself', async () => {
  await write(...many(9));
  const found = await newest(9, { max_turns: 2 });
  expect(texts(found?.messages)).toEqual(['question 8', 'answer 8', 'question 9', 'answer 9']);
  expect(found?.ref.leftOut).toBe('7 earlier turns are left out of the conversation: spec.history.max_turns is 2');
});

test('max_tokens keeps whole turns that fit, four characters a token', async () => {
  await write(...many(3));
  const found = await newest(3, { max_tokens: 9 });
  expect(texts(found?.messages)).toEqual(['question 2', 'answer 2', 'question 3', 'answer 3']);
  expect(found?.ref.leftOut).toBe('1 earlier turn is left out of the conversation: spec.history.max_tokens is 9');
});

test('the bound of a run leaves out what is above it', async () => {
  await write(turn(1, { content: 'x'.repeat(CONVERSATION_MAX_BYTES) }), turn(2));
  const found = await newest(2);
  expect(texts(found?.messages)).toEqual(['question 2', 'answer 2']);
  expect(found?.ref.leftOut).toBe(`1 earlier turn is left out of the conversation: a run accepts ${CONVERSATION_MAX_BYTES} bytes`);
});

test('messages of a chat request come before the first turn', async () => {
  const history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hello' },
  ] as const;
  await store.transaction((tx) => putChat(tx, UID, { history, messages: history }));
  await write(turn(1));
  expect(texts((await newest(1))?.messages)).toEqual(['Be brief.', 'hello', 'question 1', 'answer 1']);
  expect(texts((await newest(0))?.messages)).toEqual(['Be brief.', 'hello']);
});

test('a Session without turns and messages has no conversation', async () => {
  expect(await newest(0)).toBeUndefined();
});

test('a reference to messages that were changed afterwards is refused', async () => {
  await write(...many(3));
  const found = await newest(3);
  await write(turn(2, { output: 'forged' }));
  if (found) await expect(new Conversations().read(store, UID, found.ref)).rejects.toThrow('not the one that this run began with');
});

test('a process reads only the turn that is new to it', async () => {
  await write(...many(60));
  const conversations = new Conversations();
  const reads = vi.spyOn(store, 'listDocuments');
  const ask = (upTo: number) => conversations.newest(store, { uid: UID, upTo }, { bounds: {}, turns: upTo });
  await ask(60);
  // Pages of 1, 4, 16 and 64 turns.
  expect(reads).toHaveBeenCalledTimes(4);
  await write(turn(61));
  reads.mockClear();
  expect((await ask(61))?.messages).toHaveLength(122);
  expect(reads.mock.calls.map(([, , limit]) => limit)).toEqual([1]);
});
