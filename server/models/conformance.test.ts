// One suite that every provider over HTTP passes: what an answer becomes, however it is cut, and how it may fail.
import { describe, expect, test } from 'vitest';
import type { ToolCallRequest } from '../engine/ports.ts';
import { flood, hang, json, pieces, redirect, reset, text, type Answer } from '../testing/loopback-server.ts';
import { ask, failure, modelRequest, startModelServer } from '../testing/model-calls.ts';
import { MODEL_DIALECTS, MODEL_TOKEN, type ModelAnswer } from '../testing/model-dialects.ts';

const CALLS = [
  { name: 'memory_read', arguments: '{"key":"ä🌊","n":[1,2]}' },
  { name: 'look', arguments: '{}' },
  { name: 'look', arguments: '{"nul":"\\u0000"}' },
];
const SAID: ModelAnswer = {
  text: ['Grüß ', 'Gott 🌊', ' \u0000 "\\n'],
  calls: CALLS,
  finish: 'tool_calls',
  usage: { input: 11, output: 7 },
};
const TOOLS = [{ name: 'memory.read' }, { name: 'look', description: 'looks', inputSchema: { type: 'object' } }];
const REQUEST = modelRequest({ tools: TOOLS });

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text: string }[];
}

const textOf = (content: WireMessage['content']) =>
  typeof content === 'string' ? content : content.map(({ text: part }) => part).join('\n\n');

const named = (calls: readonly ToolCallRequest[]) =>
  calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) as unknown }));

describe.each(MODEL_DIALECTS)('$title', ({ spec, path, credential, whole, stream, streamType, brokenOff }) => {
  const streamed = (said: ModelAnswer) => text(stream(said), 200, { 'content-type': streamType });

  test.each([true, false])('answers with text, calls, usage and the reason of its end, streamed: %s', async (asStream) => {
    const { server, port } = await startModelServer(asStream ? streamed(SAID) : json(whole(SAID)));
    const deltas: string[] = [];
    const { providerState: _, ...response } = await ask(port, { spec: spec(server.url), request: REQUEST, ...(asStream && { deltas }) });
    expect({ ...response, toolCalls: named(response.toolCalls) }).toEqual({
      content: SAID.text?.join(''),
      toolCalls: [
        { name: 'memory.read', input: { key: 'ä🌊', n: [1, 2] } },
        { name: 'look', input: {} },
        { name: 'look', input: { nul: '\u0000' } },
      ],
      usage: { inputTokens: 11, outputTokens: 7, source: 'provider' },
      finishReason: 'tool_calls',
      model: 'm1-2026',
    });
    expect(new Set(response.toolCalls.map(({ id }) => id)).size).toBe(3);
    if (asStream) expect(deltas.join('')).toBe(response.content);
    const seen = server.seen[0];
    expect([seen?.path, seen?.headers[credential[0]], seen?.headers['idempotency-key']]).toEqual([path, credential[1], 'req-1']);
    expect(JSON.parse(seen?.body ?? '')).toMatchObject({ model: 'm1', stream: asStream });
  });

  test('a conversation is sent as one system message and roles that alternate', async () => {
    const { server, port } = await startModelServer(json(whole(SAID)));
    const messages = [
      { role: 'system', content: 'You are a.' },
      { role: 'user', content: 'one' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: 'three' },
      { role: 'user', content: 'four' },
    ] as const;
    await ask(port, { spec: spec(server.url), request: modelRequest({ messages }) });
    const body = JSON.parse(server.seen[0]?.body ?? '') as { readonly system?: string; readonly messages: readonly WireMessage[] };
    const system = body.system === undefined ? [] : [['system', body.system]];
    expect([...system, ...body.messages.map(({ role, content }) => [role, textOf(content)])]).toEqual([
      ['system', 'You are a.\n\nBe brief.'],
      ['user', 'one\n\ntwo'],
      ['assistant', 'three'],
      ['user', 'four'],
    ]);
  });

  test('the server decides whether it streams', async () => {
    const { server, port } = await startModelServer(streamed(SAID), json(whole(SAID)));
    for (const deltas of [undefined, []]) {
      const { content, toolCalls } = await ask(port, { spec: spec(server.url), request: REQUEST, ...(deltas && { deltas }) });
      expect([content, toolCalls.length]).toEqual([SAID.text?.join(''), 3]);
    }
  });

  test('text is passed on while the rest is still to come', async () => {
    const parts = stream({ text: ['one'], finish: 'stop' }).split(/(?<=one.*\n)/);
    let finish: (() => void) | undefined;
    const { server, port } = await startModelServer((response) => {
      response.writeHead(200, { 'content-type': streamType }).write(parts[0]);
      finish = () => void response.end(parts.slice(1).join(''));
    });
    const deltas: string[] = [];
    // The event ends with a line of its own in some protocols.
    parts[0] += parts[1]?.startsWith('\n') ? (parts.splice(1, 1)[0] ?? '') : '';
    const answer = ask(port, { spec: spec(server.url), deltas });
    await expect.poll(() => deltas).toEqual(['one']);
    finish?.();
    expect((await answer).content).toBe('one');
  });

  test('a stream written byte by byte is the same answer', async () => {
    const bytes = [...Buffer.from(stream(SAID))];
    const { server, port } = await startModelServer((response) => {
      response.writeHead(200, { 'content-type': streamType });
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect((await ask(port, { spec: spec(server.url), request: REQUEST, deltas: [] })).content).toBe(SAID.text?.join(''));
  });

  test.each<[ModelAnswer['finish'], ModelAnswer['calls'], string]>([
    ['stop', [], 'stop'],
    ['stop', CALLS, 'tool_calls'],
    ['length', [], 'length'],
    ['length', CALLS, 'length'],
    ['content_filter', [], 'content_filter'],
    ['a_new_word', [], 'a_new_word'],
  ])('an end for the reason %s with the calls %j is %s', async (finish, calls, word) => {
    const said = { text: ['x'], finish: finish ?? 'stop', calls: calls ?? [] };
    const { server, port } = await startModelServer(json(whole(said)), streamed(said));
    for (const deltas of [undefined, []]) {
      expect((await ask(port, { spec: spec(server.url), ...(deltas && { deltas }) })).finishReason).toBe(word);
    }
  });

  test.each([
    undefined,
    { input: '11', output: 7 },
    { input: -1, output: 7 },
    { input: 1.5, output: 7 },
    { input: 11, output: '7' },
    { input: null, output: {} },
  ])('usage of %j is estimated and marked', async (usage) => {
    const said: ModelAnswer = { text: ['12345678'], ...(usage && { usage }) };
    const { server, port } = await startModelServer(json(whole(said)), streamed(said));
    for (const deltas of [undefined, []]) {
      const { usage: counted } = await ask(port, { spec: spec(server.url), ...(deltas && { deltas }) });
      expect(counted).toEqual({ inputTokens: 2, outputTokens: 2, source: 'estimated' });
    }
  });

  test('a call has a cost by the prices of the endpoint, and none without prices', async () => {
    const { server, port } = await startModelServer(json(whole(SAID)));
    const prices = { price_input_per_million: '3', price_output_per_million: '15' };
    expect((await ask(port, { spec: { ...spec(server.url), options: prices } })).costUsd).toBe(0.000138);
    expect(await ask(port, { spec: spec(server.url) })).not.toHaveProperty('costUsd');
    const error = await failure(ask(port, { spec: { ...spec(server.url), options: { price_input_per_million: 'free' } } }));
    expect([error.code, server.seen.length]).toEqual(['runtime_policy_invalid', 2]);
  });

  test.each([
    [400, 'execution_failed', false],
    [401, 'auth_invalid', false],
    [403, 'auth_forbidden', false],
    [404, 'model_not_found', false],
    [408, 'timeout', true],
    [413, 'execution_failed', false],
    [429, 'rate_limited', true],
    [500, 'execution_failed', true],
    [503, 'execution_failed', true],
    [529, 'execution_failed', true],
  ])('status %i is %s, retryable %s, with the wait that was requested', async (status, code, retryable) => {
    const body = { type: 'error', error: { type: 'some_error', message: `no: ${MODEL_TOKEN} is bad` } };
    const { server, port } = await startModelServer(json(body, status, { 'retry-after': '7' }));
    const error = await failure(ask(port, { spec: spec(server.url) }));
    expect([error.code, error.retryable, error.reason, error.retryAfterMs]).toEqual([code, retryable, `http_${status}`, 7000]);
    expect(error.message).toContain(`ModelEndpoint "team/gpt" answered ${status}`);
  });

  test('a wait in milliseconds goes before one in seconds', async () => {
    const { server, port } = await startModelServer(json({}, 429, { 'retry-after': '2', 'retry-after-ms': '1250' }));
    expect((await failure(ask(port, { spec: spec(server.url) }))).retryAfterMs).toBe(1250);
  });

  test('an error in the middle of a stream is typed, and not repeated', async () => {
    const start = stream({ text: ['x'], finish: 'stop' }).split('"x"')[0] ?? '';
    const complete = start.slice(0, start.lastIndexOf('\n') + 1);
    const { server, port } = await startModelServer(pieces([complete, brokenOff.piece], streamType));
    const error = await failure(ask(port, { spec: spec(server.url), deltas: [] }));
    expect([error.code, error.retryable]).toEqual([brokenOff.code, brokenOff.retryable]);
  });

  const hostile: Record<string, Answer> = {
    'an empty body': text('', 200, { 'content-type': 'application/json' }),
    'a web page': text('<html>', 200, { 'content-type': 'text/html' }),
    'a JSON list': json([]),
    'a number': json(7),
    'an empty object': json({}),
    garbage: text('\u0000\u0001', 200, { 'content-type': 'application/octet-stream' }),
    'lists nested without end': text('['.repeat(200_000), 200, { 'content-type': 'application/json' }),
    'objects nested deeply': text(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 200, { 'content-type': 'application/json' }),
    'fields of the wrong types': json({ choices: 7, content: 'x', message: [], done: 'yes', usage: [] }),
    'fields of the wrong types within': json({ choices: [null], content: {}, message: { content: 3, tool_calls: 'x' }, done: 1 }),
    'an empty event stream': text('', 200, { 'content-type': 'text/event-stream' }),
    'an event that is not JSON': text('data: {oops\n\n', 200, { 'content-type': 'text/event-stream' }),
    'events of no known type': text('data: {}\n\n'.repeat(100), 200, { 'content-type': 'text/event-stream' }),
    'calls without names': json(whole({ calls: [{ name: '', arguments: '{}' }], finish: 'tool_calls' })),
    'ever more calls': json(whole({ calls: Array.from({ length: 5_000 }, () => ({ name: 'x', arguments: '{}' })) })),
    'calls with too many values together': json(
      whole({
        calls: Array.from({ length: 20 }, () => ({ name: 'x', arguments: `{"n":[${'1,'.repeat(9_000)}1]}` })),
        finish: 'tool_calls',
      }),
    ),
    'a text of 5 Mi characters': json(whole({ text: ['x'.repeat(5 * 1024 * 1024)], finish: 'stop' })),
    'an endless text': flood('application/json'),
    'an endless line': flood(streamType),
  };
  test.each(Object.entries(hostile))('%s is a malformed answer, and may be requested again', async (_, answer) => {
    const { server, port } = await startModelServer(answer);
    for (const deltas of [undefined, []]) {
      const error = await failure(ask(port, { spec: spec(server.url), ...(deltas && { deltas }) }));
      expect([error.code, error.retryable]).toEqual(['malformed_response', true]);
    }
  });

  test('a stream with too many calls fails without counting them all', async () => {
    const said = { calls: Array.from({ length: 20_000 }, () => ({ name: 'x', arguments: '{}' })) };
    const { server, port } = await startModelServer(streamed(said));
    expect((await failure(ask(port, { spec: spec(server.url), deltas: [] }))).code).toBe('malformed_response');
  });

  test('a compressed answer was not requested', async () => {
    const { server, port } = await startModelServer(text('x', 200, { 'content-encoding': 'gzip' }));
    expect(await failure(ask(port, { spec: spec(server.url) }))).toMatchObject({ code: 'malformed_response', retryable: false });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('a connection that is reset in the middle may be retried', async () => {
    const { server, port } = await startModelServer(reset(stream(SAID).slice(0, 200), streamType));
    expect(await failure(ask(port, { spec: spec(server.url), deltas: [] }))).toMatchObject({ reason: 'connection_reset', retryable: true });
  });

  test('a token that is echoed is removed from the answer and its live text', async () => {
    const halves = [MODEL_TOKEN.slice(0, 9), MODEL_TOKEN.slice(9)];
    const said: ModelAnswer = {
      text: ['you sent s', 'k', ' and ', ...halves, '!'],
      calls: [{ name: 'look', arguments: JSON.stringify({ auth: `Bearer ${MODEL_TOKEN}` }) }],
    };
    const { server, port } = await startModelServer(streamed(said));
    const deltas: string[] = [];
    const response = await ask(port, { spec: spec(server.url), deltas });
    expect(response.content).toBe('you sent sk and ***!');
    expect(deltas.join('')).toBe(response.content);
    expect(response.toolCalls[0]?.arguments).toBe('{"auth":"Bearer ***"}');
  });

  test.each<[string, Answer]>([
    ['hangs', hang],
    [
      'hangs within its answer',
      (response) => void response.writeHead(200, { 'content-type': streamType }).write(stream(SAID).slice(0, 200)),
    ],
  ])('a server that %s ends in a timeout, and leaves no connection', async (_, answer) => {
    const { server, port } = await startModelServer(answer);
    const error = await failure(ask(port, { spec: { ...spec(server.url), options: { timeout: '80ms' } }, deltas: [] }));
    expect([error.code, error.retryable]).toEqual(['timeout', true]);
    await expect.poll(() => server.connections()).toBe(0);
  });

  test.each(['before', 'within'])('a call that is aborted %s its answer is canceled, and leaves no connection', async (when) => {
    const { server, port } = await startModelServer((response) => {
      if (when === 'within') response.writeHead(200, { 'content-type': streamType }).write(stream(SAID).slice(0, 200));
    });
    const abort = new AbortController();
    const call = failure(ask(port, { spec: spec(server.url), signal: abort.signal, deltas: [] }));
    await server.nextRequest();
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
    await expect.poll(() => server.connections()).toBe(0);
  });

  test('loopback needs allowPrivate, and the error names both', async () => {
    const { server, port } = await startModelServer(hang);
    const error = await failure(ask(port, { spec: { ...spec(server.url), allowPrivate: false } }));
    expect(error.code).toBe('egress_blocked');
    expect(error.message).toBe(
      'blocked connection to 127.0.0.1: 127.0.0.1 is a loopback address; only allowPrivate of ModelEndpoint "team/gpt" permits it',
    );
    expect(server.seen).toEqual([]);
  });

  test.each(['169.254.169.254', '169.254.1.1', '0.0.0.0', '[::]', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:169.254.169.254]'])(
    '%s is blocked although allowPrivate is set, also behind a redirect',
    async (host) => {
      const { server, port } = await startModelServer(redirect(`http://${host}/latest/meta-data`, 307));
      const direct = await failure(ask(port, { spec: spec(`http://${host}:11434`) }));
      const redirected = await failure(ask(port, { spec: spec(server.url) }));
      for (const error of [direct, redirected]) {
        expect([error.code, error.retryable]).toEqual(['egress_blocked', false]);
        expect(error.message).toContain('this is always blocked, whatever allowPrivate of ModelEndpoint "team/gpt" says');
      }
    },
  );

  test('the token does not follow a redirect to another origin', async () => {
    const other = await startModelServer(json(whole({ text: ['hi'] })));
    const { server, port } = await startModelServer(redirect(`${other.server.url}/elsewhere`, 307));
    expect((await ask(port, { spec: spec(server.url) })).content).toBe('hi');
    expect(JSON.stringify(other.server.seen[0])).not.toContain(MODEL_TOKEN);
    expect(server.seen[0]?.headers[credential[0]]).toBe(credential[1]);
  });

  test('a changed Secret is used by the next call', async () => {
    const { server, port, values } = await startModelServer(json(whole({ text: ['hi'] })));
    await ask(port, { spec: spec(server.url) });
    values.set('key', 'sk-another-one');
    await ask(port, { spec: spec(server.url) });
    values.delete('key');
    expect((await failure(ask(port, { spec: spec(server.url) }))).code).toBe('secret_resolution_failed');
    const sent = credential[1].replace(MODEL_TOKEN, 'sk-another-one');
    expect(server.seen.map(({ headers }) => headers[credential[0]])).toEqual([credential[1], sent]);
  });

  test.each([
    ['Bearer sk-very-secret-token', 'bearer_prefix', 'begins with "Bearer "'],
    ['bearer\tsk-very-secret-token', 'bearer_prefix', 'begins with "Bearer "'],
    ['sk-very-secret\n-token', 'unsendable_token', 'line breaks'],
    ['sk-very-secret-tökén', 'unsendable_token', 'a header cannot carry'],
  ])('the stored token %j fails before anything is sent', async (value, reason, said) => {
    const { server, port, values } = await startModelServer(hang);
    values.set('key', value);
    const error = await failure(ask(port, { spec: spec(server.url) }));
    expect([error.code, error.retryable, error.reason]).toEqual(['auth_invalid', false, reason]);
    expect(error.message).toContain(`ModelEndpoint "team/gpt" auth.secretRef "key" holds a value`);
    expect(error.message).toContain(said);
    expect(server.seen).toEqual([]);
  });

  test.each([
    ['a missing model', { default_model: '' }, 'runtime_policy_invalid'],
    ['a missing address', { base_url: '' }, 'runtime_policy_invalid'],
    ['an invalid address', { base_url: 'not a url' }, 'runtime_policy_invalid'],
    ['a bad option', { options: { temperature: 'warm' } }, 'runtime_policy_invalid'],
    ['a bad timeout', { options: { timeout: 'soon' } }, 'runtime_policy_invalid'],
    ['a missing Secret', { auth: { secretRef: 'gone' } }, 'secret_resolution_failed'],
  ])('%s fails permanently before a request is sent', async (_, more, code) => {
    const { server, port } = await startModelServer(hang);
    const error = await failure(ask(port, { spec: { ...spec(server.url), ...more } }));
    expect([error.code, error.retryable, server.seen]).toEqual([code, false, []]);
  });
});
