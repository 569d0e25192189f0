// Providers of a program that embeds the server: its models answer runs and embed texts of Memories, its Memories keep entries.
import { beforeAll, expect, it } from 'vitest';
import type { MemoryProvider } from '../memory/backend.ts';
import type { ModelProvider } from '../models/provider.ts';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';

const usage = { inputTokens: 1, outputTokens: 1, source: 'provider' } as const;
const embedded: string[] = [];

/** Replaces the built-in provider of the name. */
const models: ModelProvider = {
  name: 'gateway-a-compatible',
  complete: () => Promise.resolve({ content: 'answered by our own model', toolCalls: [], usage, finishReason: 'stop', model: 'ours' }),
  embed: ({ request: { inputs } }) => {
    embedded.push(...inputs);
    return Promise.resolve({ vectors: inputs.map((text) => (text.includes('moon') ? [1, 0] : [0, 1])), usage, model: 'ours' });
  },
};

const kept = new Map<string, string>();
const memories: MemoryProvider = {
  name: 'shelf',
  usesVectors: false,
  remote: false,
  byName: false,
  open: () => ({
    ping: () => Promise.resolve({ dimensions: undefined, unembedded: 0 }),
    get: (key) => Promise.resolve(kept.get(key)),
    list: () => Promise.resolve({ entries: [...kept].map(([key, value]) => ({ key, value })), next: undefined }),
    keys: () => Promise.resolve([...kept.keys()]),
    search: () => Promise.resolve([...kept].map(([key, value]) => ({ key, value, score: 7 }))),
    write: ({ puts }) => {
      for (const { key, value } of puts) kept.set(key, value);
      return Promise.resolve({ created: puts.map(({ key }) => key), deleted: [] });
    },
    erase: () => Promise.resolve(kept.clear()),
    close: () => Promise.resolve(),
  }),
};

let url = '';
beforeAll(async () => {
  const server = await startTestServer([], {}, { providers: { models: [models], memories: [memories] } });
  atFileEnd(server.stop);
  ({ url } = server);
  await send('POST', '/v1/model-endpoints', {
    metadata: { name: 'ours' },
    spec: { provider: 'gateway-a-compatible', base_url: 'https://unused.example/v1' },
  });
});

async function send(method: string, path: string, body?: object): Promise<any> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, ...init });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

it('embed the entries of a Memory', async () => {
  await send('POST', '/v1/memories', { metadata: { name: 'notes' }, spec: { provider: 'embedded', embedding_model: 'ours' } });
  await send('PUT', '/v1/memories/notes/entries/a', { value: 'the moon' });
  await send('PUT', '/v1/memories/notes/entries/b', { value: 'the sun' });
  const found = await send('GET', '/v1/memories/notes/entries?q=full%20moon');
  expect(found).toMatchObject({
    search: 'vector',
    entries: [
      { key: 'a', score: 1 },
      { key: 'b', score: 0 },
    ],
  });
  expect(embedded).toEqual(expect.arrayContaining(['the moon', 'the sun', 'full moon']));
});

it('answer the runs of agents', async () => {
  await send('POST', '/v1/agents', { metadata: { name: 'speaker' }, spec: { model_ref: 'ours', prompt: 'Answer.' } });
  await send('POST', '/v1/agent-systems', { metadata: { name: 'talk' }, spec: { agents: ['speaker'] } });
  await send('POST', '/v1/tasks', { metadata: { name: 'one' }, spec: { system: 'talk' } });
  await expect.poll(async () => (await send('GET', '/v1/tasks/one')).status.phase, { timeout: 30_000 }).toBe('Succeeded');
  expect(JSON.stringify(await send('GET', '/v1/tasks/one'))).toContain('answered by our own model');
});

it('keep the entries of a Memory that names them', async () => {
  await send('POST', '/v1/memories', { metadata: { name: 'shelved' }, spec: { provider: 'shelf' } });
  await send('PUT', '/v1/memories/shelved/entries/book', { value: 'on the shelf' });
  const found = await send('GET', '/v1/memories/shelved/entries?q=anything');
  expect(found).toEqual({ entries: [{ key: 'book', value: 'on the shelf', score: 7 }], count: 1 });
});
