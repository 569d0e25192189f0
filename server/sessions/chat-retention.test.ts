// Retention of Sessions that chat requests made: by count and age, never a Session that a person made.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { sessionClient } from '../testing/session-client.ts';
import { parseRetention, type TaskRetention } from '../controllers/retention/limits.ts';
import { createRetention } from '../controllers/retention/controller.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { CHATS } from './chat-service.ts';
import { sessionControls } from './records.ts';

let store: Store;
const removed: string[] = [];
beforeEach(async () => {
  removed.length = 0;
  store = await openSqliteStore({ path: ':memory:', clock: systemClock });
});
afterEach(() => store.close());

const registry = {
  remove: (_: unknown, { name }: { readonly name: string }) => {
    removed.push(name);
    return Promise.resolve({} as never);
  },
};

/** A Session that completed the given number of minutes ago. */
async function put(name: string, minutesAgo: number, { phase = 'Completed', chat = true } = {}) {
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  await store.transaction(async (tx) => {
    await tx.insertObject({
      resourceVersion: 1,
      generation: 1,
      kind: 'Session',
      namespace: 'default',
      name,
      uid: name,
      labels: { 'svc.dev/created-by': 'chat' },
      annotations: {},
      createdAt: at,
      updatedAt: at,
      spec: { system: 'any' },
      status: { phase, completedAt: at },
    });
    await sessionControls.put(tx, name, { turns: 1, head: 1, ...(chat && { chat: true }) });
  });
}

async function run(flag: string): Promise<string[]> {
  const retention = parseRetention(flag) as TaskRetention;
  const report = { onRemoved: () => undefined, reportError: () => undefined };
  await createRetention({ store, clock: systemClock, registry, retention, subject: CHATS, ...report }).runOnce();
  return removed.sort();
}

test('chats past their age are deleted; forks, and chats that have not ended, stay', async () => {
  await put('old', 120);
  await put('new', 10);
  await put('fork', 120, { chat: false });
  await put('failed', 120, { phase: 'Failed' });
  expect(await run('1h')).toEqual(['old']);
});

test('the oldest chats above the count are deleted', async () => {
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await put(name, 40 - index);
  expect(await run('2')).toEqual(['a', 'b']);
});

test('a server deletes the chats that it made past their number, and keeps the Session of a person', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chat-retention-'));
  const flags = ['--data-dir', directory];
  let server: TestServer = await startTestServer(flags);
  const { send, write, submit, until } = sessionClient(() => server.url);
  const sessions = async () =>
    ((await send('GET', '/v1/sessions')).body as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  try {
    await write('model-endpoints', 'model', { provider: 'mock', default_model: 'mock' });
    await write('agents', 'assistant', { prompt: 'You help.', model_ref: 'model' });
    await write('agent-systems', 'chat', { agents: ['assistant'] });
    await write('sessions', 'mine', { system: 'chat', max_turns: 1 });
    await submit('mine', 'hello', 'k');
    await until('mine', 'session.completed');
    const body = { model: 'chat', messages: [{ role: 'user', content: 'hello' }] };
    for (let n = 0; n < 3; n += 1) await send('POST', '/v1/chat/completions', body);
    expect(await sessions()).toHaveLength(4);
    await server.stop();
    // The first walk is at the start.
    server = await startTestServer([...flags, '--chat-retention', '1']);
    await vi.waitFor(async () => expect(await sessions()).toHaveLength(2), 20_000);
    expect(await sessions()).toContain('mine');
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
