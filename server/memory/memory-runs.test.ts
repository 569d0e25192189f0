// Memories in runs of a real server: the five tools, their place under governance, the phase of a Memory.
import { beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddingsServer } from '../testing/embeddings-server.ts';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';

let url = '';
beforeAll(async () => {
  const server = await startTestServer([]);
  atFileEnd(server.stop);
  ({ url } = server);
});

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, ...init });
  return { status: answer.status, body: await answer.json() };
}

const put = async (plural: string, name: string, spec: object) => {
  const answer = await send('POST', `/v1/${plural}`, { metadata: { name }, spec });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
};
const script = (steps: readonly object[]) => ({ provider: 'mock', options: { script: JSON.stringify(steps) } });

interface Run {
  readonly steps: readonly object[];
  readonly memory: object;
  readonly agent?: object;
}

/** Runs one agent to its end; returns the Task. */
async function run(name: string, { steps, memory, agent }: Run): Promise<any> {
  await put('model-endpoints', name, script(steps));
  await put('agents', name, { model_ref: name, prompt: 'Remember.', memory, ...agent });
  await put('agent-systems', name, { agents: [name] });
  await put('tasks', name, { system: name, input: { topic: 'tides' } });
  await expect
    .poll(async () => (await send('GET', `/v1/tasks/${name}`)).body.status.phase, { timeout: 20_000 })
    .toMatch(/Succeeded|Failed|DeadLetter|WaitingApproval/);
  return (await send('GET', `/v1/tasks/${name}`)).body;
}

const ALL = ['read', 'write', 'search', 'list', 'ingest'];

describe.each(['in-memory', 'embedded'])('an agent with a Memory of provider %s', (provider) => {
  it('writes, reads, lists, searches, ingests', async () => {
    const name = `notes-${provider}`;
    await put('memories', name, { provider });
    const task = await run(`all-${provider}`, {
      memory: { ref: name, allow: ALL },
      steps: [
        { tool: 'memory.write', input: { key: 'tides', value: 'The Moon pulls the sea.' } },
        { tool: 'memory.write', input: { key: 'tides', value: 'The Moon pulls the sea.' } },
        { tool: 'memory.read', input: { key: 'tides' } },
        { tool: 'memory.read', input: { key: 'nothing' } },
        {
          tool: 'memory.ingest',
          input: { source: 'book', content: 'Spring tides come with the new Moon. '.repeat(10), chunk_size: 200, overlap: 20 },
        },
        { tool: 'memory.list', input: { prefix: 'book/', limit: 1 } },
        { tool: 'memory.search', input: { query: 'pulled seas', top_k: 1 } },
        { text: '{{transcript}}' },
      ],
    });
    expect(task.status.phase, JSON.stringify(task.status.lastError)).toBe('Succeeded');
    const said: string = task.status.output.last_output;
    expect(said).toContain('{"key":"tides","created":true}');
    expect(said).toContain('{"key":"tides","created":false}');
    expect(said).toContain('{"found":true,"key":"tides","value":"The Moon pulls the sea."}');
    expect(said).toContain('{"found":false,"key":"nothing","value":""}');
    expect(said).toContain('"source":"book","chunks":');
    expect(said).toContain('"keys":["book/chunk-0000"');
    expect(said).toContain('"continue":"book/chunk-0000"');
    expect(said).toMatch(/\{"results":\[\{"key":"tides","value":"The Moon pulls the sea\.","score":0\.\d+\}\],"count":1\}/);
    const entries = (await send('GET', `/v1/memories/${name}/entries?prefix=book/`)).body;
    expect(entries.count).toBeGreaterThan(1);
  });
});

it('an ingest whose segments exceed the size of a value in bytes stores nothing and reports what to change', async () => {
  await put('memories', 'wide', { provider: 'in-memory' });
  const task = await run('wide', {
    memory: { ref: 'wide', allow: ALL },
    steps: [
      { tool: 'memory.ingest', input: { source: 'book', content: '€'.repeat(100_000), chunk_size: 100_000 } },
      { text: '{{transcript}}' },
    ],
  });
  expect(task.status.output.last_output).toContain('makes segments of more than 262144 bytes; use a smaller chunk_size');
  expect((await send('GET', '/v1/memories/wide/entries')).body.count).toBe(0);
});

it('embeddings of a call count in its trace, in the tokens and in the cost of the run', async () => {
  const embeddings = await startEmbeddingsServer();
  atFileEnd(embeddings.close);
  await put('model-endpoints', 'embed', {
    provider: 'gateway-a-compatible',
    base_url: `${embeddings.url}/v1`,
    default_model: 'embed-small',
    allowPrivate: true,
    options: { price_input_per_million: '100000', price_output_per_million: '0' },
  });
  await put('memories', 'priced', { embedding_model: 'embed' });
  const task = await run('priced', {
    memory: { ref: 'priced', allow: ALL },
    steps: [
      { tool: 'memory.write', input: { key: 'a', value: 'one two three' } },
      { tool: 'memory.search', input: { query: 'four five' } },
      { tool: 'memory.read', input: { key: 'a' } },
      { text: 'done' },
    ],
  });
  const trace = (await send('GET', '/v1/tasks/priced')).body.status.trace as Record<string, any>[];
  expect(task.status.phase, JSON.stringify(trace)).toBe('Succeeded');
  const calls = trace.filter(({ type }) => type === 'tool_call');
  expect(calls).toMatchObject([
    {
      tool: 'memory.write',
      model: 'embed-small',
      tokens: 3,
      input_tokens: 3,
      output_tokens: 0,
      cost_usd: 0.3,
      token_usage_source: 'provider',
    },
    { tool: 'memory.search', model: 'embed-small', tokens: 2, cost_usd: 0.2 },
    { tool: 'memory.read' },
  ]);
  expect(calls[2]).not.toHaveProperty('tokens');
  const asked = trace.filter(({ type }) => type === 'model_output').reduce((sum, { tokens }) => sum + Number(tokens), 0);
  expect(task.status.output.tokens_used_total).toBe(String(asked + 5));
  const { totals } = (await send('GET', '/v1/tasks/priced/metrics')).body;
  expect(totals).toMatchObject({ tokens: asked + 5, tool_calls: 3 });
});

it('a tool that memory.allow leaves out is unknown to the model', async () => {
  await put('memories', 'narrow', {});
  const task = await run('narrow', {
    memory: { ref: 'narrow', allow: ['read'] },
    steps: [{ tool: 'memory.write', input: { key: 'a', value: 'b' } }, { text: 'said: {{result}}' }],
  });
  expect(task.status.output.last_output).toMatch(/memory\.write/);
  expect((await send('GET', '/v1/memories/narrow/entries')).body.count).toBe(0);
});

it('a policy blocks memory.write, a permission asks a person, input that does not fit is refused', async () => {
  await put('memories', 'ruled', {});
  await put('agent-policies', 'no-writes', { blocked_tools: ['memory.write'], apply_mode: 'scoped', target_systems: ['blocked'] });
  const blocked = await run('blocked', {
    memory: { ref: 'ruled', allow: ALL },
    steps: [{ tool: 'memory.write', input: { key: 'a', value: 'b' } }, { text: 'done' }],
  });
  expect(blocked.status.phase).toBe('Failed');
  expect((await send('GET', '/v1/memories/ruled/entries')).body.count).toBe(0);
  const wrong = await run('wrong', {
    memory: { ref: 'ruled', allow: ALL },
    steps: [{ tool: 'memory.read', input: { name: 'a' } }, { text: 'said: {{result}}' }],
  });
  expect(wrong.status.output.last_output).toMatch(/key/);
  await put('tool-permissions', 'ask', {
    tool_ref: 'memory.write',
    operation_rules: [{ operation_class: 'write', verdict: 'approval_required' }],
  });
  const asked = await run('asked', {
    memory: { ref: 'ruled', allow: ALL },
    steps: [{ tool: 'memory.write', input: { key: 'a', value: 'approved' } }, { text: 'done' }],
  });
  expect(asked.status.phase).toBe('WaitingApproval');
  const [approval] = (await send('GET', '/v1/tool-approvals')).body;
  expect(approval.spec).toMatchObject({ tool: 'memory.write', operation_class: 'write' });
  expect((await send('POST', `/v1/tool-approvals/${approval.metadata.name}/approve`, {})).status).toBe(200);
  await expect.poll(async () => (await send('GET', '/v1/tasks/asked')).body.status.phase).toBe('Succeeded');
  expect((await send('GET', '/v1/memories/ruled/entries')).body.entries).toMatchObject([{ key: 'a', value: 'approved' }]);
});

it('a Memory is Ready once its backend answers, Error with the reason for an unknown provider, and recovers', async () => {
  const phaseOf = async (name: string) => (await send('GET', `/v1/memories/${name}`)).body.status;
  await put('memories', 'good', { provider: 'embedded' });
  await expect.poll(async () => (await phaseOf('good')).phase).toBe('Ready');
  await put('memories', 'odd', { provider: 'nobody', endpoint: 'https://memory.example' });
  await expect.poll(async () => (await phaseOf('odd')).phase).toBe('Error');
  expect((await phaseOf('odd')).lastError).toMatch(/does not support/);
  await put('memories', 'odd', { provider: 'in-memory' });
  await expect.poll(async () => (await phaseOf('odd')).phase).toBe('Ready');
  expect((await phaseOf('odd')).lastError).toBeUndefined();
});
