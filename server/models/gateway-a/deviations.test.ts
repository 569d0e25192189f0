// Answers of servers that follow the chat completions protocol only in part.
import { describe, expect, test } from 'vitest';
import type { ToolCallRequest } from '../../engine/ports.ts';
import { json, text, type Answer, type LoopbackServer } from '../../testing/loopback-server.ts';
import { ask, failure, startModelServer } from '../../testing/model-calls.ts';
import { MODEL_TOKEN } from '../../testing/model-dialects.ts';

const spec = ({ url }: LoopbackServer) => ({
  provider: 'gateway-a-compatible',
  base_url: `${url}/v1`,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
});

const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});
const stream = (chunks: readonly object[], { end = 'data: [DONE]\n\n', type = 'text/event-stream' } = {}): Answer =>
  text(chunks.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('') + end, 200, type === '' ? {} : { 'content-type': type });

async function answered(answer: Answer) {
  const { server, port } = await startModelServer(answer);
  return ask(port, { spec: spec(server), deltas: [] });
}

describe('the end of an answer', () => {
  test.each<[string, Answer, string]>([
    ['an empty finish_reason in every chunk', stream([chunk({ content: 'Pay 100' }, '')], { end: '' }), 'malformed_response'],
    ['finish_reason error', stream([chunk({ content: 'Pay 100' }), chunk({}, 'error')]), 'execution_failed'],
    ['finish_reason abort', stream([chunk({ content: 'Pay 100' }), chunk({}, 'abort')]), 'execution_failed'],
    ['a lack of resources', stream([chunk({ content: 'Pay 100' }), chunk({}, 'insufficient_system_resource')]), 'execution_failed'],
    ['an error in a choice', stream([chunk({ content: 'Pay 100' }), chunk({}, 'error', { error: { code: 429 } })]), 'rate_limited'],
    [
      'an error in a choice of a whole answer',
      json({ choices: [{ message: { content: 'Pay 100' }, finish_reason: 'error', error: { code: 502, message: 'gone' } }] }),
      'execution_failed',
    ],
  ])('%s fails the call, retryable', async (_, answer, code) => {
    expect(await failure(answered(answer))).toMatchObject({ code, retryable: true });
  });

  test('an empty finish_reason leaves the one before it in force', async () => {
    const { content, finishReason } = await answered(
      stream([chunk({ content: 'Pay' }, ''), chunk({ content: ' 100' }, 'length'), chunk({}, '')]),
    );
    expect([content, finishReason]).toEqual(['Pay 100', 'length']);
  });

  test('model_length is recorded as length', async () => {
    expect((await answered(stream([chunk({ content: 'Pay' }, 'model_length')]))).finishReason).toBe('length');
  });
});

describe('fragments of tool calls', () => {
  const fragment = (id: string, name: string | undefined, input: string) =>
    chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { ...(name !== undefined && { name }), arguments: input } }] });
  const whole = (id: string, input: string): ToolCallRequest => ({ id, name: 'look', arguments: input });

  test.each<[string, readonly object[], readonly ToolCallRequest[]]>([
    [
      'ids that change within a call',
      [fragment('a', 'look', ''), fragment('b', undefined, '{"n"'), fragment('b', '', ':1}')],
      [whole('a', '{"n":1}')],
    ],
    [
      'whole calls at position 0 without ids',
      [fragment('', 'look', '{"n":1}'), fragment('', 'look', '{"n":2}'), fragment('', 'look', '{}')],
      [whole('call_1_1', '{"n":1}'), whole('call_1_2', '{"n":2}'), whole('call_1_3', '{}')],
    ],
    [
      'fragments without an id and with the name in each',
      [
        fragment('', 'look', ''),
        fragment('', 'look', '{"n"'),
        fragment('', 'look', ':{"m":'),
        fragment('', 'look', '{}}}'),
        fragment('', 'look', ''),
      ],
      [whole('call_1_1', '{"n":{"m":{}}}')],
    ],
  ])('%s are assembled into the calls of the model', async (_, fragments, calls) => {
    expect((await answered(stream([...fragments, chunk({}, 'tool_calls')]))).toolCalls).toEqual(calls);
  });
});

describe('the body of an error', () => {
  test.each<[string, object]>([
    ['a list of errors', [{ error: { code: 400, message: 'key not valid', status: 'INVALID_ARGUMENT' } }]],
    ['a message at the top', { object: 'error', message: 'key not valid', type: 'invalid_request_error', code: '3230' }],
    ['a message of details', { object: 'error', message: { detail: [{ type: 'x', loc: ['body'], msg: 'key not valid' }] } }],
    ['a detail', { detail: 'key not valid' }],
    ['a list of details', { detail: [{ loc: ['body', 'messages'], msg: 'key not valid', input: 'the prompt' }] }],
  ])('%s is quoted without the token', async (_, body) => {
    const said = JSON.parse(JSON.stringify(body).replace('key', `key ${MODEL_TOKEN}`)) as object;
    expect((await failure(answered(json(said, 422)))).message).toBe('ModelEndpoint "team/gpt" answered 422: key *** not valid');
  });

  test.each<[string, object]>([
    ['no text', { detail: [{}], message: [] }],
    ['a page', { html: 'x' }],
  ])('%s is not quoted', async (_, body) => {
    expect((await failure(answered(json(body, 422)))).message).toBe('ModelEndpoint "team/gpt" answered 422');
  });

  test('a spent quota in a list of errors is not retried', async () => {
    const error = await failure(answered(json([{ error: { code: 'insufficient_quota', message: 'pay' } }], 429)));
    expect(error.retryable).toBe(false);
  });
});

describe('the type of a stream', () => {
  test.each(['', 'text/plain', 'application/octet-stream', 'application/json'])('%j is read as the events it holds', async (type) => {
    expect((await answered(stream([chunk({ content: 'Hello' }, 'stop')], { type }))).content).toBe('Hello');
  });

  test('a stream without a type is read from its first byte on, comments included', async () => {
    const bytes = [...Buffer.from(`\uFEFF\n: wait\n\ndata: ${JSON.stringify(chunk({ content: 'Hello' }, 'stop'))}\n\n`)];
    const { content } = await answered((response) => {
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(content).toBe('Hello');
  });
});
