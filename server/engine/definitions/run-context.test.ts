// Runs that continue a conversation, over the real SQLite store with a scripted model.
import { expect, onTestFinished, test } from 'vitest';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import type { ConversationMessage } from '../core/snapshot.ts';
import type { RunContexts } from './run-context.ts';

const REF = { upTo: 7, parts: 2, sha256: 'of the messages', leftOut: '3 earlier turns are left out of the conversation: too long' };

async function run(conversation: readonly ConversationMessage[] | undefined): Promise<EngineBundle> {
  const contexts: RunContexts = {
    read: (_, { name }) => Promise.resolve(name === 'task' && conversation ? { conversation: REF } : undefined),
    messages: () => Promise.resolve(conversation ?? []),
  };
  const engine = await openEngine({ model: ({ agent }) => ({ content: `${agent} done` }), worker: { contexts } });
  onTestFinished(() => engine.close());
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

test('the snapshot refers to the conversation; the trace reports what was left out', async () => {
  const engine = await run([{ role: 'user', content: 'hello' }]);
  const { metadata, status } = await engine.read('task');
  const [, started] = await engine.store.readJournal(metadata.uid, 0, 2);
  expect((started?.data['snapshot'] as { task: object }).task).toMatchObject({ conversation: REF });
  expect(JSON.stringify(started)).not.toContain('hello');
  const [first] = status['trace'] as { message: string }[];
  expect(first?.message).toBe('attempt 1 of system begins at first; 3 earlier turns are left out of the conversation: too long');
});

test('a run that continues no conversation has none in its snapshot', async () => {
  const engine = await run(undefined);
  expect(messagesOf(engine, 'first')?.map(({ role }) => role)).toEqual(['system', 'user']);
  const [, started] = await engine.store.readJournal((await engine.read('task')).metadata.uid, 0, 2);
  expect((started?.data['snapshot'] as { task: object }).task).not.toHaveProperty('conversation');
});
