import { describe, expect, test } from 'vitest';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';

import { flood, hang, json, pieces, redirect, reset, text, type Answer, type LoopbackServer } from '../testing/loopback-server.ts';
import { createModelPort } from './create-model-port.ts';
import { ask, failure, modelRequest as request, startModelServer as setup } from '../testing/model-calls.ts';
import { MODEL_TOKEN as TOKEN } from '../testing/model-dialects.ts';

const compatible = (server: LoopbackServer, more: Partial<ModelEndpointSpec> = {}): ModelEndpointSpec => ({
  provider: 'gateway-a-compatible',
  base_url: `${server.url}/v1`,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  ...more,
});

const local = (server: LoopbackServer, more: Partial<ModelEndpointSpec> = {}): ModelEndpointSpec => ({
  provider: 'local-runtime',
  base_url: server.url,
  default_model: 'm1',
  allowPrivate: true,
  ...more,
});

const completion = (message: object, more: object = {}) => ({
  model: 'm1-2026',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  ...more,
});
const events = (...chunks: (object | string)[]) =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
const delta = (fields: object, finish: string | null = null) => ({
  model: 'm1-2026',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const sse = (body: string) =>
  pieces(
    [...Buffer.from(body).toString('latin1')].length > 4000 ? [body] : (body.match(/[\s\S]{1,7}/g) ?? []),
    'text/event-stream; charset=utf-8',
  );

describe('chat completions', () => {
  test('a whole answer becomes a response, and the request carries what the protocol asks for', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 7 };
    const { server, port } = await setup(json(completion({ role: 'assistant', content: 'hi' }, { usage })));
    const spec = compatible(server, {
      options: { temperature: '0.5', max_tokens: '100', stop: 'END', response_format: '{"type":"json_object"}', price: '3' },
    });
    expect(await ask(port, { spec })).toEqual({
      content: 'hi',
      toolCalls: [],
      usage: { inputTokens: 11, outputTokens: 7, source: 'provider' },
      finishReason: 'stop',
      model: 'm1-2026',
    });
    const seen = server.seen[0];
    expect([seen?.path, seen?.headers.authorization, seen?.headers['idempotency-key']]).toEqual([
      '/v1/chat/completions',
      `Bearer ${TOKEN}`,
      'req-1',
    ]);
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      model: 'm1',
      messages: [{ role: 'user', content: 'hello' }],
      temperature: 0.5,
      max_tokens: 100,
      stop: 'END',
      response_format: { type: 'json_object' },
      stream: false,
    });
  });

  test('tools and tool results are sent in native form under safe names, and returned under their own', async () => {
    const calls = [{ id: 'c9', type: 'function', function: { name: 'memory_read', arguments: '{"key":"b"}' } }];
    const { server, port } = await setup(json(completion({ content: null, tool_calls: calls })));
    const asked = request({
      tools: [{ name: 'memory.read', description: 'reads', inputSchema: { type: 'object' } }],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'memory.read', arguments: '{"key":"a"}' }] },
        { role: 'tool', toolCallId: 'c1', toolName: 'memory.read', content: '42' },
      ],
    });
    const response = await ask(port, { spec: compatible(server), request: asked });
    expect(response.toolCalls).toEqual([{ id: 'c9', name: 'memory.read', arguments: '{"key":"b"}' }]);
    const body = JSON.parse(server.seen[0]?.body ?? '');
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'memory_read', arguments: '{"key":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
    ]);
    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'memory_read', description: 'reads', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  test('a stream brings text as it arrives and puts tool calls together from fragments', async () => {
    const body =
      ': comment\n\n' +
      events(
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'Grüß ' }),
        delta({ content: 'Gott 🌊' }),
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"q"' } }] }),
        delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'find', arguments: '' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
        delta({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
        delta({}, 'tool_calls'),
        { model: 'm1-2026', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
        '[DONE]',
      );
    const { server, port } = await setup(sse(body));
    const deltas: string[] = [];
    expect(await ask(port, { spec: compatible(server), deltas })).toEqual({
      content: 'Grüß Gott 🌊',
      toolCalls: [
        { id: 'a', name: 'look', arguments: '{"q":1}' },
        { id: 'b', name: 'find', arguments: '{}' },
      ],
      usage: { inputTokens: 3, outputTokens: 4, source: 'provider' },
      finishReason: 'tool_calls',
      model: 'm1-2026',
    });
    expect(deltas).toEqual(['Grüß ', 'Gott 🌊']);
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('parallel calls that all claim position 0, and calls without id or position, stay apart', async () => {
    const body = events(
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }] }),
      delta({ tool_calls: [{ index: 0, id: 'b', function: { name: 'x', arguments: '{"n":2}' } }] }),
      delta({ tool_calls: [{ function: { name: 'y', arguments: { n: 3 } } }] }, 'tool_calls'),
      '[DONE]',
    );
    const { server, port } = await setup(sse(body));
    const { toolCalls } = await ask(port, { spec: compatible(server), deltas: [] });
    expect(toolCalls).toEqual([
      { id: 'a', name: 'x', arguments: '{"n":1}' },
      { id: 'b', name: 'x', arguments: '{"n":2}' },
      { id: 'call_1_3', name: 'y', arguments: '{"n":3}' },
    ]);
  });

  test('calls of a whole answer that repeat an id stay apart, each with an id of its own', async () => {
    const call = (n: number) => ({ id: 'same', type: 'function', function: { name: 'x', arguments: `{"n":${n}}` } });
    const { server, port } = await setup(json(completion({ content: null, tool_calls: [call(1), call(2)] })));
    const { toolCalls } = await ask(port, { spec: compatible(server) });
    expect(toolCalls).toEqual([
      { id: 'same', name: 'x', arguments: '{"n":1}' },
      { id: 'call_1_2', name: 'x', arguments: '{"n":2}' },
    ]);
  });

  test.each([
    ['auto', 'auto'],
    ['Any', 'required'],
    ['memory.read', { type: 'function', function: { name: 'memory_read' } }],
  ])('the option tool_choice %s is sent as %j, and only with tools', async (tool_choice, expected) => {
    const { server, port } = await setup(json(completion({ content: 'hi' })));
    const spec = compatible(server, { options: { tool_choice, parallel_tool_calls: 'false' } });
    await ask(port, { spec, request: request({ tools: [{ name: 'memory.read' }] }) });
    await ask(port, { spec });
    const [withTools, without] = server.seen.map(({ body }) => JSON.parse(body) as object);
    expect(withTools).toMatchObject({ tool_choice: expected, parallel_tool_calls: false });
    expect(without).not.toHaveProperty('tool_choice');
    expect(without).not.toHaveProperty('parallel_tool_calls');
  });

  test.each([401, 403])('a %i without a token names the field for one', async (status) => {
    const { server, port } = await setup(json({}, status));
    const { message } = await failure(ask(port, { spec: local(server) }));
    expect(message).toBe(`ModelEndpoint "team/gpt" answered ${status} (no token was sent; name its Secret in auth.secretRef)`);
    expect((await failure(ask(port, { spec: compatible(server) }))).message).toContain('the token in its auth.secretRef');
  });

  test('a token that an answer echoes is removed from it', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'x', arguments: `{"auth":"Bearer ${TOKEN}"}` } };
    const { server, port } = await setup(json(completion({ content: `you sent ${TOKEN}`, tool_calls: [call] })));
    const { content, toolCalls } = await ask(port, { spec: compatible(server) });
    expect([content, toolCalls[0]?.arguments]).toEqual(['you sent ***', '{"auth":"Bearer ***"}']);
  });

  test.each([
    ['true', undefined, true],
    ['false', [], false],
    [undefined, [], true],
    [undefined, undefined, false],
  ])('option stream %s with listeners %j requests a stream: %s', async (stream, deltas, asked) => {
    const { server, port } = await setup(json(completion({ content: 'hi' })));
    await ask(port, { spec: compatible(server, stream === undefined ? {} : { options: { stream } }), ...(deltas && { deltas }) });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ stream: asked });
  });

  test('a whole answer to a streaming request is accepted', async () => {
    const { server, port } = await setup(json(completion({ content: 'hi' })));
    const deltas: string[] = [];
    expect((await ask(port, { spec: compatible(server), deltas })).content).toBe('hi');
    expect(deltas).toEqual(['hi']);
  });

  test('a stream that stays open after [DONE] does not delay the answer', async () => {
    const { server, port } = await setup((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events(delta({ content: 'hi' }, 'stop'), '[DONE]'));
    });
    expect((await ask(port, { spec: compatible(server), deltas: [] })).content).toBe('hi');
  });

  test('unreported usage is estimated and marked', async () => {
    const { server, port } = await setup(json(completion({ content: '12345678' })));
    expect((await ask(port, { spec: compatible(server) })).usage).toEqual({ inputTokens: 2, outputTokens: 2, source: 'estimated' });
  });

  test.each([
    [400, 'execution_failed', false],
    [401, 'auth_invalid', false],
    [403, 'auth_forbidden', false],
    [404, 'model_not_found', false],
    [408, 'timeout', true],
    [429, 'rate_limited', true],
    [500, 'execution_failed', true],
    [503, 'execution_failed', true],
  ])('status %i is %s, retryable %s, and never repeats the token', async (status, code, retryable) => {
    const { server, port } = await setup(json({ error: { message: `no: ${TOKEN} is bad` } }, status, { 'retry-after': '7' }));
    const error = await failure(ask(port, { spec: compatible(server) }));
    expect([error.code, error.retryable, error.reason, error.retryAfterMs]).toEqual([code, retryable, `http_${status}`, 7000]);
    expect(error.message).toContain(`ModelEndpoint "team/gpt" answered ${status}`);
  });

  test('a spent quota is not retried', async () => {
    const { server, port } = await setup(json({ error: { message: 'pay', code: 'insufficient_quota' } }, 429));
    expect((await failure(ask(port, { spec: compatible(server) }))).retryable).toBe(false);
  });

  const broken: Record<string, Answer> = {
    'an empty body': text('', 200, { 'content-type': 'application/json' }),
    'a web page': text('<html>', 200, { 'content-type': 'text/html' }),
    'a JSON list': json([]),
    'no choices': json({ choices: [] }),
    garbage: text('\u0000\u0001', 200, { 'content-type': 'application/octet-stream' }),
    'an empty event stream': text('', 200, { 'content-type': 'text/event-stream' }),
    'a stream cut before its end': text(events(delta({ content: 'hal' })), 200, { 'content-type': 'text/event-stream' }),
    'an event that is not JSON': text('data: {oops\n\n', 200, { 'content-type': 'text/event-stream' }),
    'a compressed answer': text('x', 200, { 'content-encoding': 'gzip' }),
  };
  test.each(Object.entries(broken))('%s is a malformed response', async (_, answer) => {
    const { server, port } = await setup(answer);
    expect((await failure(ask(port, { spec: compatible(server), deltas: [] }))).code).toBe('malformed_response');
  });

  test('the page of another program names the settings of the address', async () => {
    const { server, port } = await setup(text('<html>Sign in</html>', 200, { 'content-type': 'text/html' }));
    const { message } = await failure(ask(port, { spec: compatible(server) }));
    expect(message).toMatch(/an answer that is not a JSON object \(check its provider and base_url\)$/);
  });

  test.each(['application/json', 'text/event-stream'])('an endless %s answer is cut off', async (type) => {
    const { server, port } = await setup(flood(type));
    const error = await failure(ask(port, { spec: compatible(server), deltas: [] }));
    expect([error.code, error.retryable]).toEqual(['malformed_response', true]);
  });

  test('an error inside the stream is typed by its code', async () => {
    const { server, port } = await setup(sse(events(delta({ content: 'x' }), { error: { code: 'rate_limit_exceeded', message: TOKEN } })));
    const error = await failure(ask(port, { spec: compatible(server), deltas: [] }));
    expect([error.code, error.retryable]).toEqual(['rate_limited', true]);
  });

  test('a reset in the middle of a stream is retryable', async () => {
    const { server, port } = await setup(reset(events(delta({ content: 'x' })), 'text/event-stream'));
    expect(await failure(ask(port, { spec: compatible(server), deltas: [] }))).toMatchObject({
      code: 'execution_failed',
      reason: 'connection_reset',
      retryable: true,
    });
  });

  test.each<[string, Answer]>([
    ['hangs', hang],
    [
      'hangs within its answer',
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events(delta({ content: 'x' }))),
    ],
  ])('a server that %s ends in a timeout', async (_, answer) => {
    const { server, port } = await setup(answer);
    const error = await failure(ask(port, { spec: compatible(server, { options: { timeout: '80ms' } }), deltas: [] }));
    expect([error.code, error.retryable, error.message]).toEqual([
      'timeout',
      true,
      'model call to ModelEndpoint "team/gpt" took longer than 80 ms',
    ]);
  });

  test('an abort is canceled, at once', async () => {
    const { server, port } = await setup(hang);
    const abort = new AbortController();
    const call = failure(ask(port, { spec: compatible(server), signal: abort.signal }));
    await server.nextRequest();
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
  });

  test('loopback needs allowPrivate, and the error names both', async () => {
    const { server, port } = await setup(hang);
    const error = await failure(ask(port, { spec: compatible(server, { allowPrivate: false }) }));
    expect(error.code).toBe('egress_blocked');
    expect(error.message).toBe(
      'blocked connection to 127.0.0.1: 127.0.0.1 is a loopback address; only allowPrivate of ModelEndpoint "team/gpt" permits it',
    );
  });

  test.each(['gateway-a', 'gateway-a-compatible', 'gateway-b', 'gateway-c', 'local-runtime'])(
    'the ceiling keeps provider %s from loopback although allowPrivate is set',
    async (provider) => {
      const { deps, server } = await setup(hang);
      const closed = createModelPort({ ...deps, allowPrivate: false });
      const spec = { ...compatible(server), provider, auth: { secretRef: 'key' } };
      const error = await failure(ask(closed, { spec }));
      expect(error).toMatchObject({ code: 'egress_blocked', retryable: false });
      expect(error.message).toContain('--allow-private-model-endpoints');
      expect(server.seen).toEqual([]);
    },
  );

  test('a redirect to the metadata service is blocked although allowPrivate is set', async () => {
    const { server, port } = await setup(redirect('http://169.254.169.254/latest/meta-data', 307));
    expect((await failure(ask(port, { spec: compatible(server) }))).code).toBe('egress_blocked');
  });

  test.each<[string, Partial<ModelEndpointSpec>, string]>([
    ['a missing Secret', { auth: { secretRef: 'gone' } }, 'secret_resolution_failed'],
    ['no Secret where one is needed', { provider: 'gateway-a', auth: {} }, 'secret_resolution_failed'],
    ['a bad option', { options: { temperature: 'warm' } }, 'runtime_policy_invalid'],
    ['a missing model', { default_model: '' }, 'runtime_policy_invalid'],
    ['a missing base_url', { base_url: '' }, 'runtime_policy_invalid'],
  ])('%s fails permanently before a request is sent', async (_, more, code) => {
    const { server, port } = await setup(hang);
    const error = await failure(ask(port, { spec: compatible(server, more) }));
    expect([error.code, error.retryable, server.seen]).toEqual([code, false, []]);
  });
});

describe('native chat', () => {
  const line = (fields: object) => `${JSON.stringify({ model: 'm1', ...fields })}\n`;

  test('a stream of lines becomes text, tool calls and usage', async () => {
    const body = [
      line({ message: { role: 'assistant', content: 'Hel' }, done: false }),
      line({ message: { content: 'lo' }, done: false }),
      line({ message: { content: '', tool_calls: [{ function: { name: 'memory_read', arguments: { key: 'a' } } }] }, done: false }),
      line({ message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 6 }),
    ].join('');
    const { server, port } = await setup(pieces(body.match(/[\s\S]{1,11}/g) ?? [], 'application/x-ndjson'));
    const deltas: string[] = [];
    const spec = local(server, { options: { num_ctx: '4096', keep_alive: '5m', max_tokens: '10', temperature: '0' } });
    const asked = request({
      tools: [{ name: 'memory.read' }],
      messages: [{ role: 'tool', toolCallId: 'x', toolName: 'memory.read', content: 'v' }],
    });
    expect(await ask(port, { spec, deltas, request: asked })).toEqual({
      content: 'Hello',
      toolCalls: [{ id: 'call_1_1', name: 'memory.read', arguments: '{"key":"a"}' }],
      usage: { inputTokens: 5, outputTokens: 6, source: 'provider' },
      finishReason: 'tool_calls',
      model: 'm1',
    });
    expect(deltas).toEqual(['Hel', 'lo']);
    expect(server.seen[0]?.path).toBe('/api/chat');
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({
      messages: [{ role: 'tool', tool_name: 'memory_read', content: 'v' }],
      stream: true,
      keep_alive: '5m',
      options: { num_ctx: 4096, num_predict: 10, temperature: 0 },
    });
  });

  test('text behind the last line of a stream neither delays the answer nor adds to it', async () => {
    const { server, port } = await setup((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(line({ message: { content: 'all' }, done: true, done_reason: 'stop' }) + line({ message: { content: ' more' } }));
    });
    const deltas: string[] = [];
    const spec = local(server, { options: { timeout: '5s' } });
    expect(await ask(port, { spec, deltas })).toMatchObject({ content: 'all', finishReason: 'stop' });
    expect(deltas).toEqual(['all']);
  });

  test('a whole answer is requested without listeners', async () => {
    const { server, port } = await setup(json({ message: { content: 'hi' }, done: true, done_reason: 'length' }));
    expect(await ask(port, { spec: local(server) })).toMatchObject({
      content: 'hi',
      finishReason: 'length',
      usage: { source: 'estimated' },
    });
  });

  test.each<[string, Answer, string]>([
    ['an unknown model', json({ error: 'model "m1" not found' }, 404), 'model_not_found'],
    ['a stream that breaks off', text('{"message":{"content":"x"},"done":false}\n'), 'malformed_response'],
    ['a line that is not JSON', text('oops\n'), 'malformed_response'],
    ['an error line', text('{"error":"boom"}\n'), 'execution_failed'],
    ['one endless line', flood('application/x-ndjson'), 'malformed_response'],
  ])('%s is typed', async (_, answer, code) => {
    const { server, port } = await setup(answer);
    expect((await failure(ask(port, { spec: local(server), deltas: [] }))).code).toBe(code);
  });
});

describe('a local runner that speaks chat completions', () => {
  const served: Answer = (response, request) =>
    request.path === '/v1/chat/completions'
      ? json(completion({ content: 'hi' }))(response, request)
      : text('no such page', 404)(response, request);

  test('is detected by the first call and called directly from then on', async () => {
    const { server, port } = await setup(served);
    for (let n = 0; n < 2; n += 1) expect(await ask(port, { spec: local(server) })).toMatchObject({ content: 'hi' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/api/chat', '/v1/chat/completions', '/v1/chat/completions']);
  });

  test('is detected again after a server with the native API replaces it', async () => {
    let replaced = false;
    const { server, port } = await setup((response, asked) => {
      const speaks = replaced ? '/api/chat' : '/v1/chat/completions';
      if (asked.path !== speaks) return text('no such page', 404)(response, asked);
      return json({ ...completion({ content: 'hi' }), message: { content: 'hi' }, done: true })(response, asked);
    });
    await ask(port, { spec: local(server) });
    replaced = true;
    expect((await failure(ask(port, { spec: local(server) }))).code).toBe('model_not_found');
    expect(await ask(port, { spec: local(server) })).toMatchObject({ content: 'hi' });
    expect(server.seen.at(-1)?.path).toBe('/api/chat');
  });

  test('is called at once when its base_url ends in /v1', async () => {
    const { server, port } = await setup(served);
    expect(await ask(port, { spec: local(server, { base_url: `${server.url}/v1/` }) })).toMatchObject({ content: 'hi' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
  });

  test('without the model answers as the native API did', async () => {
    const { server, port } = await setup(json({ error: 'model "m1" not found' }, 404), text('no', 404));
    expect(await failure(ask(port, { spec: local(server) }))).toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('model "m1" not found'),
    });
  });
});
