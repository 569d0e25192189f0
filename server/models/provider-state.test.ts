// State that providers attach to tool calls, over two requests of one turn: the answer, and the request that carries its results.
import { describe, expect, test } from 'vitest';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import type { ChatMessage, ModelResponse } from '../engine/ports.ts';
import { json, text, type Answer, type LoopbackServer } from '../testing/loopback-server.ts';
import { ask, failure, modelRequest, startModelServer } from '../testing/model-calls.ts';
import { MODEL_TOKEN } from '../testing/model-dialects.ts';
import { PROVIDER_STATE_MAX_BYTES } from './provider-state.ts';

type Provider = 'gateway-a-compatible' | 'gateway-b';

const specFor = (provider: Provider, { url }: LoopbackServer): ModelEndpointSpec => ({
  provider,
  base_url: url,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
});

const events = (...list: readonly object[]): Answer =>
  text(list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), 200, { 'content-type': 'text/event-stream' });

function results({ content, toolCalls, providerState }: ModelResponse): ChatMessage[] {
  const answer: ChatMessage = { role: 'assistant', content, toolCalls, ...(providerState && { providerState }) };
  return [
    { role: 'user', content: 'go' },
    answer,
    ...toolCalls.map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: 'ok' }) as const),
  ];
}

interface Sent {
  readonly messages: readonly { readonly role: string; readonly [field: string]: unknown }[];
}

/** The assistant message of the request that follows an answer. */
async function sentBack(provider: Provider, answer: Answer, other: Partial<ModelEndpointSpec> = {}) {
  const { server, port } = await startModelServer(answer, json({}, 400));
  const spec = specFor(provider, server);
  const response = await ask(port, { spec, deltas: [] });
  const request = modelRequest({ messages: results(JSON.parse(JSON.stringify(response)) as ModelResponse) });
  await failure(ask(port, { spec: { ...spec, ...other }, request }));
  const { messages } = JSON.parse(server.seen[1]?.body ?? '') as Sent;
  return { response, message: messages.find(({ role }) => role === 'assistant') };
}

describe('chat completions', () => {
  const PROVIDER = 'gateway-a-compatible';
  const call = (n: number, more: object = {}) => ({
    index: n,
    id: `c${n}`,
    type: 'function',
    function: { name: 'look', arguments: '{}' },
    ...more,
  });
  const sent = (n: number, more: object = {}) => {
    const { index: _, ...rest } = call(n, more);
    return rest;
  };
  const whole = (message: object) =>
    json({ choices: [{ message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop' }] });
  const streamed = (...deltas: readonly object[]) =>
    events(...[...deltas, {}].map((delta, n) => ({ choices: [{ delta, finish_reason: n === deltas.length ? 'tool_calls' : null }] })));
  const signed = { extra_content: { google: { thought_signature: 'SIG' } } };

  test.each<[string, Answer]>([
    ['whole', whole({ tool_calls: [call(0, signed), call(1)] })],
    ['streamed', streamed({ tool_calls: [call(0, signed)] }, { tool_calls: [call(1)] })],
  ])('fields of a call go back with it: %s', async (_, answer) => {
    const { message } = await sentBack(PROVIDER, answer);
    expect(message).toEqual({ role: 'assistant', content: null, tool_calls: [sent(0, signed), sent(1)] });
  });

  test.each<[string, Answer]>([
    ['whole', whole({ reasoning_content: 'I look', tool_calls: [call(0)] })],
    ['streamed', streamed({ reasoning_content: 'I ' }, { reasoning_content: 'look', content: null }, { tool_calls: [call(0)] })],
  ])('reasoning_content goes back: %s', async (_, answer) => {
    const { message } = await sentBack(PROVIDER, answer);
    expect(message).toEqual({ role: 'assistant', content: null, reasoning_content: 'I look', tool_calls: [sent(0)] });
  });

  const details = [
    { type: 'reasoning.text', index: 0, format: 'f', text: 'I look', signature: 'S1' },
    { type: 'reasoning.encrypted', index: 1, data: 'x' },
    { type: 'reasoning.encrypted', index: 2, data: 'y' },
  ];
  const pieces = [
    [{ type: 'reasoning.text', index: 0, format: 'f', text: 'I ' }],
    [{ type: 'reasoning.text', index: 0, text: 'look' }],
    [{ type: 'reasoning.text', index: 0, signature: 'S1' }],
    details.slice(1),
  ];
  test.each<[string, Answer]>([
    ['whole', whole({ reasoning_details: details, tool_calls: [call(0)] })],
    ['streamed', streamed(...pieces.map((reasoning_details) => ({ reasoning_details })), { tool_calls: [call(0)] })],
  ])('reasoning_details go back: %s', async (_, answer) => {
    const { message } = await sentBack(PROVIDER, answer);
    expect(message).toEqual({ role: 'assistant', content: null, reasoning_details: details, tool_calls: [sent(0)] });
  });

  test('an answer without calls, and one without such fields, keeps no state', async () => {
    const { server, port } = await startModelServer(whole({ content: 'hi', reasoning_content: 'hm' }), whole({ tool_calls: [call(0)] }));
    for (let n = 0; n < 2; n += 1) expect(await ask(port, { spec: specFor(PROVIDER, server) })).not.toHaveProperty('providerState');
  });

  test.each<[string, Partial<ModelEndpointSpec>]>([
    ['model', { default_model: 'm2' }],
    ['provider', { provider: 'gateway-a' }],
  ])('no state goes to another %s', async (_, other) => {
    const { message } = await sentBack(PROVIDER, whole({ reasoning_content: 'I look', tool_calls: [call(0, signed)] }), other);
    expect(message).toEqual({ role: 'assistant', content: null, tool_calls: [sent(0)] });
  });

  test('a token in the state is taken out of it', async () => {
    const { response } = await sentBack(PROVIDER, whole({ reasoning_content: `use ${MODEL_TOKEN}`, tool_calls: [call(0)] }));
    expect(response.providerState).toMatchObject({ state: { message: { reasoning_content: 'use ***' } } });
  });

  test.each<[string, object, string]>([
    ['large', { reasoning_content: 'x'.repeat(PROVIDER_STATE_MAX_BYTES) }, 'bytes of thinking with its tool calls; at most 524288'],
    ['deep', { reasoning_details: [JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)] }, 'state of more than 64 levels'],
  ])('a state that is too %s fails the call, retryable', async (_, fields, message) => {
    const { server, port } = await startModelServer(whole({ ...fields, tool_calls: [call(0)] }));
    const error = await failure(ask(port, { spec: specFor(PROVIDER, server) }));
    expect([error.code, error.retryable, error.message]).toEqual(['malformed_response', true, expect.stringContaining(message)]);
  });
});

describe('the Messages API', () => {
  const PROVIDER = 'gateway-b';
  const thinking = { type: 'thinking', thinking: 'I look', signature: 'S1' };
  const redacted = { type: 'redacted_thinking', data: 'x' };
  const use = (n: number) => ({ type: 'tool_use', id: `c${n}`, name: 'look', input: {} });
  const said = (words: string) => ({ type: 'text', text: words });
  const whole = (...content: readonly object[]) => json({ type: 'message', model: 'm1', content, stop_reason: 'tool_use' });
  const started = { type: 'message_start', message: { model: 'm1', content: [] } };
  const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];

  test.each<[string, Answer]>([
    ['whole', whole(thinking, redacted, said('Well'), use(1), use(2))],
    [
      'streamed',
      events(
        started,
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'I ' },
          { type: 'thinking_delta', thinking: 'look' },
          { type: 'signature_delta', signature: 'S1' },
        ),
        ...block(1, redacted),
        ...block(2, said(''), { type: 'text_delta', text: 'We' }, { type: 'text_delta', text: 'll' }),
        ...block(3, use(1), { type: 'input_json_delta', partial_json: '{}' }),
        ...block(4, use(2)),
        { type: 'message_stop' },
      ),
    ],
  ])('thinking goes back before the calls: %s', async (_, answer) => {
    const { message, response } = await sentBack(PROVIDER, answer);
    expect(message).toEqual({ role: 'assistant', content: [thinking, redacted, said('Well'), use(1), use(2)] });
    expect(response.content).toBe('Well');
  });

  test('blocks keep their order where thinking comes between them', async () => {
    const blocks = [thinking, said('Well, '), redacted, said('now'), use(1), thinking, use(2)];
    const { message, response } = await sentBack(PROVIDER, whole(...blocks));
    expect([message?.['content'], response.content]).toEqual([blocks, 'Well, now']);
  });

  test('no thinking goes to another model, and none is kept of an answer without calls', async () => {
    const { message } = await sentBack(PROVIDER, whole(thinking, use(1)), { default_model: 'm2' });
    expect(message).toEqual({ role: 'assistant', content: [use(1)] });
    const { server, port } = await startModelServer(whole(thinking, said('done')));
    expect(await ask(port, { spec: specFor(PROVIDER, server) })).not.toHaveProperty('providerState');
  });
});
