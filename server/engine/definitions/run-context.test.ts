// Runs that continue a conversation, over the real SQLite store with a scripted model.
import { afterEach, expect, test } from 'vitest';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { CONVERSATION_MAX_BYTES, CONVERSATION_MESSAGES_MAX } from '../core/limits.ts';
import type { ConversationMessage } from '../core/snapshot.ts';

const engines: EngineBundle[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function run(conversation: readonly ConversationMessage[] | undefined): Promise<EngineBundle> {
  const contextOf = (_: unknown, { name }: { name: string }) =>
    Promise.resolve(name === 'task' && conversation ? { conversation } : undefined);
  const engine = await openEngine({ model: ({ agent }) => ({ content: `${agent} done` }), worker: { contextOf } });
  engines.push(engine);
  await putSystem(engine, { first: {}, second: {} }, { first: { next: 'second' } });
  await engine.put('Task', 'task', { system: 'system', input: { message: 'and now?' } });
  await engine.worker.runOnce();
  await engine.worker.drain();
  return engine;
}

const messagesOf = ({ modelCalls }: EngineBundle, agent: string) => modelCalls.find((call) => call.agent === agent)?.messages;

test('an entry agent sees the conversation between its prompt and its input; an agent behind it does not', async () => {
  const conversation = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'hi' },
  ] as const;
  const engine = await run(conversation);
  const input = { role: 'user', content: 'message: and now?' };
  expect(messagesOf(engine, 'first')).toEqual([{ role: 'system', content: 'You are first.' }, ...conversation, input]);
  expect(messagesOf(engine, 'second')?.map(({ role }) => role)).toEqual(['system', 'user']);
});

test('a run that continues no conversation has none in its snapshot', async () => {
  const engine = await run(undefined);
  expect(messagesOf(engine, 'first')?.map(({ role }) => role)).toEqual(['system', 'user']);
  const [, started] = await engine.store.readJournal((await engine.read('task')).metadata.uid, 0, 2);
  expect((started?.data['snapshot'] as { task: object }).task).not.toHaveProperty('conversation');
});

test.each([
  ['too many messages', Array.from({ length: CONVERSATION_MESSAGES_MAX + 1 }, () => ({ role: 'user', content: 'x' }) as const)],
  ['too many bytes', [{ role: 'user', content: 'é'.repeat(CONVERSATION_MAX_BYTES / 2 + 1) } as const]],
])('a conversation of %s fails the Task and says the limits', async (_, conversation) => {
  const engine = await run(conversation);
  const { status } = await engine.read('task');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'validation_failed' });
  expect(status['lastError']).toContain('a run takes at most 2000 messages of 1048576 bytes together');
  expect(engine.modelCalls).toHaveLength(0);
});
