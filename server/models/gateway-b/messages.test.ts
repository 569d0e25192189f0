// Cases only for the Messages protocol; conformance.test.ts has the shared ones.
import { describe, expect, test } from 'vitest';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import type { ChatMessage, ModelRequest } from '../../engine/ports.ts';
import { json, text } from '../../testing/loopback-server.ts';
import { ask, modelRequest, startModelServer } from '../../testing/model-calls.ts';

const ANSWER = { type: 'message', model: 'm1', content: [{ type: 'text', text: 'hi' }], stop_reason: 'end_turn' };

const spec = (url: string, options: Record<string, string> = {}): ModelEndpointSpec => ({
  provider: 'gateway-b',
  base_url: url,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  options,
});

interface Sent {
  readonly options?: Record<string, string>;
  readonly request?: Partial<ModelRequest>;
  readonly token?: string;
  /** Path after the server's address in base_url. */
  readonly path?: string;
}

/** The one request that a call makes. */
async function sent({ options, request, token, path = '' }: Sent) {
  const { server, port, values } = await startModelServer(json(ANSWER));
  if (token !== undefined) values.set('key', token);
  await ask(port, { spec: spec(`${server.url}${path}`, options), request: modelRequest(request) });
  const seen = server.seen[0];
  return { path: seen?.path, headers: seen?.headers ?? {}, body: JSON.parse(seen?.body ?? '') as Record<string, unknown> };
}

describe('credentials', () => {
  test.each([
    ['sk-ant-api03-abc', {}, { 'x-api-key': 'sk-ant-api03-abc' }],
    ['any-other-token', {}, { 'x-api-key': 'any-other-token' }],
    ['sk-ant-oat01-abc', {}, { authorization: 'Bearer sk-ant-oat01-abc', 'anthropic-beta': 'oauth-2025-04-20' }],
    ['sk-ant-api03-abc', { beta: ' a-1 ,b-2,' }, { 'x-api-key': 'sk-ant-api03-abc', 'anthropic-beta': 'a-1,b-2' }],
    ['sk-ant-oat01-abc', { beta: 'a-1' }, { authorization: 'Bearer sk-ant-oat01-abc', 'anthropic-beta': 'a-1,oauth-2025-04-20' }],
  ])('are sent by the token %s with the options %j', async (token, options, expected) => {
    const { headers } = await sent({ token, options });
    const told = Object.entries(headers).filter(([name]) => ['x-api-key', 'authorization', 'anthropic-beta'].includes(name));
    expect(Object.fromEntries(told)).toEqual(expected);
    expect(headers['anthropic-version']).toBe('2023-06-01');
  });

  test('in the version of the protocol that the operator asks for', async () => {
    expect((await sent({ options: { version: '2030-01-01' } })).headers['anthropic-version']).toBe('2030-01-01');
  });
});

test.each([
  ['', '/v1/messages'],
  ['/', '/v1/messages'],
  ['/v1', '/v1/messages'],
  ['/v1/', '/v1/messages'],
  ['/proxy', '/proxy/v1/messages'],
  ['/proxy/v1?team=a', '/proxy/v1/messages?team=a'],
])('a base_url with the path %j is called at %s', async (path, expected) => {
  expect((await sent({ path })).path).toBe(expected);
});

describe('the conversation', () => {
  const turns = async (messages: readonly ChatMessage[]) => {
    const { body } = await sent({ request: { messages } });
    return { system: body['system'], messages: body['messages'] };
  };
  const words = (text: string) => ({ type: 'text', text });

  test('has the system messages as its system prompt', async () => {
    expect(
      await turns([
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hello' },
        { role: 'system', content: 'and kind' },
      ]),
    ).toEqual({ system: 'be brief\n\nand kind', messages: [{ role: 'user', content: [words('hello')] }] });
  });

  test('has no system prompt when it would be empty', async () => {
    expect((await sent({ request: { messages: [{ role: 'system', content: '' }] } })).body).not.toHaveProperty('system');
  });

  test('has neighbours of one role merged', async () => {
    const { messages } = await turns([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'c' },
      { role: 'assistant', content: 'd' },
      { role: 'user', content: 'e' },
    ]);
    expect(messages).toEqual([
      { role: 'user', content: [words('a'), words('b')] },
      { role: 'assistant', content: [words('c'), words('d')] },
      { role: 'user', content: [words('e')] },
    ]);
  });

  test('puts the results of tools first in the turn after the calls, whatever came between', async () => {
    const { messages } = await turns([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'looking',
        toolCalls: [
          { id: 'c1', name: 'memory.read', arguments: '{"key":"a"}' },
          { id: 'functions.x:0', name: 'look', arguments: 'no JSON' },
        ],
      },
      { role: 'tool', toolCallId: 'c1', toolName: 'memory.read', content: '42' },
      { role: 'user', content: 'hurry' },
      { role: 'tool', toolCallId: 'functions.x:0', toolName: 'look', content: 'bad input', isError: true },
    ]);
    const strange = expect.stringMatching(/^call_[0-9a-f]{16}$/) as string;
    expect(messages).toEqual([
      { role: 'user', content: [words('go')] },
      {
        role: 'assistant',
        content: [
          words('looking'),
          { type: 'tool_use', id: 'c1', name: 'memory_read', input: { key: 'a' } },
          { type: 'tool_use', id: strange, name: 'look', input: { unreadable_arguments: 'no JSON' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: '42' },
          { type: 'tool_result', tool_use_id: strange, content: 'bad input', is_error: true },
          words('hurry'),
        ],
      },
    ]);
    const [, asked, answered] = messages as { content: Record<string, unknown>[] }[];
    expect(answered?.content[1]?.['tool_use_id']).toBe(asked?.content[2]?.['id']);
  });

  test('has no empty text', async () => {
    const { messages } = await turns([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: ' \n', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c1', toolName: 'look', content: '' },
      { role: 'user', content: '' },
    ]);
    expect(messages).toEqual([
      { role: 'user', content: [words('go')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '' }] },
    ]);
  });
});

describe('requests', () => {
  const tools = [{ name: 'memory.read', description: 'reads', inputSchema: { properties: { key: { type: 'string' } } } }, { name: 'look' }];

  test('an answer of 8192 tokens, unless the operator sets another limit', async () => {
    expect((await sent({})).body).toEqual({
      model: 'm1',
      max_tokens: 8_192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      stream: false,
    });
    const options = { max_tokens: '100', temperature: '0.5', top_k: '3', stop: 'END', user: 'u1', extra_body: '{"thinking":{"type":"x"}}' };
    expect((await sent({ options })).body).toMatchObject({
      max_tokens: 100,
      temperature: 0.5,
      top_k: 3,
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
      thinking: { type: 'x' },
    });
  });

  test('tools in the form of the protocol, under names it takes', async () => {
    expect((await sent({ request: { tools } })).body['tools']).toEqual([
      { name: 'memory_read', description: 'reads', input_schema: { type: 'object', properties: { key: { type: 'string' } } } },
      { name: 'look', input_schema: { type: 'object' } },
    ]);
  });

  test.each([
    [{}, undefined],
    [{ parallel_tool_calls: 'true' }, undefined],
    [{ parallel_tool_calls: 'false' }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: 'none', parallel_tool_calls: 'false' }, { type: 'none' }],
    [{ tool_choice: 'memory.read' }, { type: 'tool', name: 'memory_read' }],
  ])('a choice of tools by the options %j', async (options, expected) => {
    expect((await sent({ options, request: { tools } })).body['tool_choice']).toEqual(expected);
    expect((await sent({ options })).body).not.toHaveProperty('tool_choice');
  });
});

test('tokens of the prompt cache count as input, and are reported separately', async () => {
  const usage = { input_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 5, output_tokens: 10 };
  const { server, port } = await startModelServer(json({ ...ANSWER, usage }));
  const prices = {
    price_input_per_million: '10',
    price_output_per_million: '50',
    price_cached_input_per_million: '1',
    price_cache_write_per_million: '12.5',
  };
  expect(await ask(port, { spec: spec(server.url, prices) })).toMatchObject({
    usage: { inputTokens: 100, cachedInputTokens: 90, cacheWriteTokens: 5, outputTokens: 10, source: 'provider' },
    costUsd: 0.0007025,
  });
});

test('counts that are corrected at the end of a stream take the place of earlier ones', async () => {
  const events = [
    { type: 'message_start', message: { model: 'm1', usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn' }, usage: { input_tokens: 9, output_tokens: 4 } },
    { type: 'message_stop' },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const { server, port } = await startModelServer(text(body, 200, { 'content-type': 'text/event-stream' }));
  expect(await ask(port, { spec: spec(server.url), deltas: [] })).toMatchObject({
    usage: { inputTokens: 9, outputTokens: 4 },
    finishReason: 'pause_turn',
  });
});

test('a conversation that begins with an answer is sent with a user turn before it', async () => {
  const { server, port } = await startModelServer(json({ type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' }));
  const messages: ChatMessage[] = [
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'go' },
  ];
  await ask(port, {
    spec: { provider: 'gateway-b', base_url: server.url, default_model: 'm1', allowPrivate: true, auth: { secretRef: 'key' } },
    request: modelRequest({ messages }),
  }).catch(() => undefined);
  const { messages: sent } = JSON.parse(server.seen[0]?.body ?? '') as { messages: { role: string }[] };
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});
