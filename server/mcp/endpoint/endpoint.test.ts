// POST /mcp through the official clients of both generations, unmodified, against a whole server.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { request } from 'undici';
import { approvalOrigin } from '@svc/shared/run-origin';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';

const ROLES = ['reader', 'writer', 'other', 'admin'] as const;
type Name = (typeof ROLES)[number];
const tokenOf = (name: Name) => `the-long-token-of-the-${name}`;
const headersOf = (name: Name) => ({ authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json' });
const SCHEMA = {
  type: 'object',
  properties: { topic: { type: 'string' }, depth: { type: 'integer', maximum: 3 } },
  required: ['topic'],
  additionalProperties: false,
};

let server: TestServer;

async function send(method: string, path: string, body?: unknown): Promise<any> {
  const init = { method, headers: headersOf('admin'), ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${server.url}${path}`, init);
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text);
}

interface Made {
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
}

const put = (plural: string, name: string, spec: unknown, { namespace = 'default', annotations = {} }: Made = {}) =>
  send('POST', `/v1/${plural}?namespace=${namespace}`, { metadata: { name, annotations }, spec });

async function system(
  name: string,
  steps: unknown,
  { mcp = { enabled: true }, tools = [], ...made }: Made & { mcp?: object; tools?: string[] },
) {
  await put(
    'model-endpoints',
    name,
    { provider: 'mock', ...(steps !== undefined && { options: { script: JSON.stringify(steps) } }) },
    made,
  );
  await put('agents', name, { model_ref: name, prompt: `You are ${name}.`, tools }, { ...made, annotations: {} });
  await put('agent-systems', name, { agents: [name], mcp }, made);
}

beforeAll(async () => {
  const tokens = ROLES.map((name) => `${name}:${tokenOf(name)}:${name === 'other' ? 'writer' : name}`);
  server = await startTestServer(['--allow-private-tool-endpoints'], { SVC_API_TOKENS: tokens.join(',') });
  const call = { text: 'let me see', tool: 'guarded', input: { to: 'prod' } };
  await put('tools', 'guarded', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low' });
  await put('tool-permissions', 'ask', { tool_ref: 'guarded', operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] });
  await system('echo', undefined, { annotations: { 'svc.dev/description': 'Repeats what it hears.' } });
  await system('report', [{ text: '{"score":7,"tags":["a"]}' }], { mcp: { enabled: true, input_schema: SCHEMA } });
  await system('list', [{ text: '[1,2]' }], {});
  await system('broken', [{ error: { code: 'auth_invalid', message: 'wrong key' } }], {});
  await system('asker', [call, { text: 'after the decision' }], { tools: ['guarded'] });
  await system('slow', [{ text: 'one two three', pieces: 3, piece_delay: '400ms' }], {});
  await system('hangs', [{ hang: true }], {});
  await system('closed', undefined, { mcp: { enabled: false } });
  await system('echo', undefined, { namespace: 'team' });
  // Never called by its name, which means team/echo's tool: the default namespace comes first.
  await system('ops--echo', [{ text: 'of default' }], {});
  await system('echo', [{ text: 'of ops' }], { namespace: 'ops' });
});
afterAll(() => server.stop());

interface Connected {
  readonly listTools: (params?: { cursor: string }) => Promise<any>;
  readonly callTool: (params: any, options?: any) => Promise<any>;
  readonly version: () => string | undefined;
  readonly close: () => Promise<void>;
}

async function connectNew(name: Name = 'writer'): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: headersOf(name) } }));
  return {
    listTools: (params) => client.listTools(params),
    callTool: (params, options) => client.callTool(params, options),
    version: () => client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
}

async function connectOld(name: Name = 'writer'): Promise<Connected> {
  const client = new OldClient({ name: 'test', version: '1' });
  const transport = new OldTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: headersOf(name) } });
  await client.connect(transport);
  return {
    listTools: (params) => client.listTools(params),
    callTool: (params, options) => client.callTool(params, undefined, options),
    version: () => transport.protocolVersion,
    close: () => client.close(),
  };
}

const textOf = (result: any): string => result.content.map((part: any) => part.text).join('');
const messageOf = (name: string, message = 'hello') => ({ name, arguments: { message } });

describe.each([
  ['client 2.4.0', connectNew, '2026-07-28'],
  ['sdk 1.32.2', connectOld, '2025-11-25'],
] as const)('%s', (_title, connect, version) => {
  let client: Connected;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  test('lists enabled systems with their descriptions and arguments', async () => {
    expect(client.version()).toBe(version);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }: any) => name);
    expect(names).toEqual(['asker', 'broken', 'echo', 'hangs', 'list', 'ops--echo', 'report', 'slow', 'team--echo']);
    const toolNamed = (name: string) => tools.find((tool: any) => tool.name === name);
    expect(toolNamed('echo')).toMatchObject({
      description: 'Repeats what it hears.',
      inputSchema: { type: 'object', properties: { message: { type: 'string' }, handle: { type: 'string' } } },
    });
    const { inputSchema } = toolNamed('report');
    expect(inputSchema.properties).toMatchObject(SCHEMA.properties);
    expect(inputSchema.properties.handle.description).toContain('Required without it: topic.');
    expect(inputSchema.required).toBeUndefined();
  });

  test('a call returns the output of its Task, which records the origin', async () => {
    const result = await client.callTool(messageOf('echo', 'good morning'));
    expect(textOf(result)).toContain('good morning');
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toBeUndefined();
    const task = await send('GET', `/v1/tasks/${result._meta['svc.dev/task'].split('/')[1]}`);
    expect(task).toMatchObject({
      metadata: { createdBy: 'writer', labels: { 'svc.dev/created-by': 'mcp' } },
      spec: { system: 'echo', input: { message: 'good morning' } },
      status: { phase: 'Succeeded' },
    });
    expect(textOf(await client.callTool(messageOf('ops--echo')))).toBe('of default');
    expect(textOf(await client.callTool(messageOf('team--echo', 'hey team')))).toContain('hey team');
  });

  test('JSON output is structured content, a list its result', async () => {
    const result = await client.callTool({ name: 'report', arguments: { topic: 'rain', depth: 2 } });
    expect(result.structuredContent).toEqual({ score: 7, tags: ['a'] });
    expect(JSON.parse(textOf(result))).toEqual({ score: 7, tags: ['a'] });
    const task = await send('GET', `/v1/tasks/${result._meta['svc.dev/task'].split('/')[1]}`);
    expect(task.spec.input).toEqual({ topic: 'rain', depth: '2' });
    expect((await client.callTool(messageOf('list'))).structuredContent).toEqual({ result: [1, 2] });
  });

  test('a failed run and arguments that do not fit are errors of the tool', async () => {
    const failed = await client.callTool(messageOf('broken'));
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('wrong key');
    const misfit = await client.callTool({ name: 'report', arguments: { topic: 'rain', depth: 9 } });
    expect(misfit.isError).toBe(true);
    expect(textOf(misfit)).toMatch(/depth/);
    const none = await client.callTool({ name: 'echo' });
    expect(none.isError).toBe(true);
    expect(textOf(none)).toMatch(/message/);
  });

  test('unknown and closed tools are -32602', async () => {
    for (const name of ['absent', 'closed', 'team--absent', '--', '../x', 'x'.repeat(5_000)])
      await expect(client.callTool(messageOf(name)), name.slice(0, 20)).rejects.toMatchObject({ code: -32602 });
  });

  test('a run that waits for a person answers with the approval, and its handle gives the result', async () => {
    const asked = await client.callTool(messageOf('asker'));
    const { approval, handle } = asked.structuredContent;
    expect(asked.isError).toBeFalsy();
    expect(approval).toEqual({ kind: 'ToolApproval', namespace: 'default', name: expect.any(String) });
    expect(textOf(asked)).toContain(handle);
    const { metadata } = await send('GET', `/v1/tool-approvals/${approval.name}`);
    expect(approvalOrigin(metadata)).toEqual({ door: 'mcp', askedBy: 'writer' });
    const again = await client.callTool({ name: 'asker', arguments: { handle } });
    expect(again.structuredContent).toEqual({ approval, handle });
    await send('POST', `/v1/tool-approvals/${approval.name}/deny`, {});
    const result = await client.callTool({ name: 'asker', arguments: { handle } });
    expect(result.structuredContent).toBeUndefined();
    expect((await client.callTool({ name: 'asker', arguments: { handle } })).content).toEqual(result.content);
  });

  test('handles are for the caller who started the run, and admins', async () => {
    const { handle } = (await client.callTool(messageOf('asker'))).structuredContent;
    const other = await connect('other');
    const admin = await connect('admin');
    const refused = await other.callTool({ name: 'asker', arguments: { handle } });
    const unknown = await other.callTool({ name: 'asker', arguments: { handle: `mcp-${'0'.repeat(24)}` } });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content).toEqual(unknown.content);
    expect((await admin.callTool({ name: 'asker', arguments: { handle } })).structuredContent.handle).toBe(handle);
    const elsewhere = await client.callTool({ name: 'echo', arguments: { handle } });
    expect(elsewhere).toMatchObject({ isError: true });
    await Promise.all([other.close(), admin.close()]);
  });

  test('progress reaches a client that asks for it', async () => {
    const seen: any[] = [];
    const result = await client.callTool(messageOf('slow'), { onprogress: (progress: any) => seen.push(progress) });
    expect(textOf(result)).toBe('one two three');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, index) => index + 1));
    expect(seen.at(-1).message).toMatch(/Running|Succeeded/);
  });

  test('a reader is refused', async () => {
    await expect(connect('reader')).rejects.toThrow(/403|writer/);
  });
});

const runsOf = async (name: string) =>
  (await send('GET', '/v1/tasks?limit=1000')).items.filter(({ spec }: any) => spec.system === name) as any[];

test('a client of 2026-07-28 that withdraws its call ends the run', async () => {
  const client = await connectNew();
  const stop = new AbortController();
  const call = client.callTool(messageOf('hangs'), { signal: stop.signal });
  await expect.poll(async () => (await runsOf('hangs')).at(0)?.status.phase).toBe('Running');
  stop.abort();
  await expect(call).rejects.toThrow();
  await expect.poll(async () => (await runsOf('hangs')).at(0)?.status.reason).toBe('cancelled');
  await client.close();
});

async function raw(body: string | Buffer, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { ...headersOf('writer'), accept: 'application/json, text/event-stream', ...headers }, body };
  const response = await fetch(`${server.url}/mcp`, init);
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined, headers: response.headers };
}

const rpc = (method: string, params: unknown, id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });

test.each([
  ['no JSON', '{"jsonrpc":', 400, -32700],
  ['nothing', '', 400, -32700],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, -32700],
  [
    'arguments of 65 levels',
    rpc('tools/call', { name: 'echo', arguments: JSON.parse(`${'{"a":'.repeat(63)}1${'}'.repeat(63)}`) }),
    400,
    -32700,
  ],
  ['100,001 values', rpc('tools/call', { name: 'echo', arguments: { list: Array(100_001).fill(0) } }), 413, -32700],
  ['a batch', `[${rpc('tools/list', {})}]`, 400, -32600],
  ['an empty batch', '[]', 400, -32600],
  ['no message', '{"hello":1}', 400, -32600],
  ['a text', '"tools/list"', 400, -32600],
  ['a subscription', rpc('subscriptions/listen', {}), 404, -32601],
])('hostile body: %s', async (_title, body, status, code) => {
  const answer = await raw(body);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code } });
  expect(answer.status).toBe(status);
});

test('the server survives hostile parameters', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const bodies = [
    rpc('tools/call', { name: 7 }),
    rpc('tools/call', { name: 'echo', arguments: [] }),
    rpc('tools/call', { name: '__proto__', arguments: { __proto__: 1 } }),
    rpc('tools/list', { cursor: '../../etc' }),
    rpc('constructor', {}),
    rpc('tools/list', {}, { not: 'an id' }),
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":${deep}}}}`,
  ];
  for (const body of bodies) {
    const { status, text } = await raw(body);
    expect(text, body.slice(0, 80)).toMatch(/"error"|"isError":true/);
    expect(text).not.toMatch(/node_modules|\bat \w+ \(/);
    expect(status).toBeLessThan(500);
  }
  expect((await raw(rpc('tools/list', {}))).status).toBe(200);
});

test('a call without initialize and without a session is answered', async () => {
  const { status, text, headers } = await raw(rpc('tools/call', messageOf('echo', 'alone')), { accept: '*/*' });
  expect(status).toBe(200);
  expect(text).toContain('alone');
  expect(headers.get('mcp-session-id')).toBeNull();
});

test('a progress token of more than 256 characters is refused before the run', async () => {
  const call = (length: number) => rpc('tools/call', { ...messageOf('list'), _meta: { progressToken: 'x'.repeat(length) } });
  const before = (await runsOf('list')).length;
  const { text } = await raw(call(257));
  expect(text).toContain('-32602');
  expect(text).toContain('progressToken may have 256 characters');
  expect(await runsOf('list')).toHaveLength(before);
  expect((await raw(call(256))).text).toContain('[1,2]');
});

test('bodies above 1 MiB, other media types and other methods are refused', async () => {
  const large = await raw(rpc('tools/call', messageOf('echo', 'x'.repeat(1024 * 1024))));
  expect(large.status).toBe(413);
  expect(large.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
  expect((await raw(rpc('tools/list', {}), { 'content-type': 'text/plain' })).status).toBe(415);
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${server.url}/mcp`, { method, headers: headersOf('writer') });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('POST');
  }
});

test('without a token nothing is served', async () => {
  const none = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    body: rpc('tools/list', {}),
    headers: { 'content-type': 'application/json' },
  });
  expect(none.status).toBe(401);
  expect(none.headers.get('www-authenticate')).toContain('Bearer');
  expect(await none.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
  expect((await raw(rpc('tools/list', {}), { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('a page of another origin is refused although it has a token', async () => {
  const listOf = (origin: string) => raw(rpc('tools/list', {}), { origin });
  const refused = await listOf('https://evil.example');
  expect([refused.status, refused.body]).toMatchObject([403, { jsonrpc: '2.0', error: { code: -32600 } }]);
  expect((await listOf('null')).status).toBe(403);
  expect((await listOf(server.url)).status).toBe(200);
});

test('without auth, pages of other origins and other host names are refused', async () => {
  const open = await startTestServer();
  const ask = (headers: Record<string, string>) =>
    request(`${open.url}/mcp`, {
      method: 'POST',
      body: rpc('tools/list', {}),
      headers: { 'content-type': 'application/json', ...headers },
    });
  try {
    for (const headers of [{ origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      const { statusCode, body } = await ask(headers);
      expect([statusCode, await body.json()]).toMatchObject([403, { jsonrpc: '2.0', error: { code: -32600 } }]);
    }
    const { statusCode, body } = await ask({});
    expect([statusCode, await body.text()]).toEqual([200, expect.stringContaining('"tools":[]')]);
  } finally {
    await open.stop();
  }
});

test('a run of a system with a loop has a limit of agent turns', async () => {
  const loop = { agents: ['echo'], graph: { echo: { next: 'echo' } }, mcp: { enabled: true } };
  await put('agent-systems', 'loop', loop, { namespace: 'ops' });
  const client = await connectNew();
  const result = await client.callTool(messageOf('ops--loop'));
  await client.close();
  expect(result.isError ?? false, textOf(result)).toBe(false);
});
