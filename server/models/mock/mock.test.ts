import { describe, expect, test } from 'vitest';
import type { CallError, ModelRequest, ModelResponse } from '../../engine/ports.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { createMockProvider } from './mock.ts';
import { modelSpec } from '../../testing/specs.ts';

function setup() {
  const clock = createManualClock();
  return { clock, provider: createMockProvider({ clock }) };
}

type Setup = ReturnType<typeof setup>;

interface Play {
  readonly options?: Record<string, string>;
  readonly request?: Partial<ModelRequest>;
  readonly deltas?: string[];
  readonly signal?: AbortSignal;
}

function play({ provider }: Setup, { options, request, deltas, signal = new AbortController().signal }: Play): Promise<ModelResponse> {
  return provider.complete({
    endpoint: { namespace: 'default', name: 'mock', spec: modelSpec({ provider: 'mock', ...(options && { options }) }) },
    request: { requestId: 'r', agent: 'Writer', step: 1, messages: [{ role: 'user', content: 'the tides' }], tools: [], ...request },
    signal,
    ...(deltas && { onDelta: (text: string) => void deltas.push(text) }),
  });
}

const failure = (promise: Promise<unknown>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as CallError,
  );

test('without a script the answer quotes whole characters of a long input', async () => {
  const request = { messages: [{ role: 'user' as const, content: `${'x'.repeat(199)}😀` }] };
  expect((await play(setup(), { request })).content).toBe(`Writer received: ${'x'.repeat(199)}…`);
});

test('without a script the answer names the agent and its input, and is the same each time', async () => {
  const mock = setup();
  expect(await play(mock, {})).toEqual({
    content: 'Writer received: the tides',
    toolCalls: [],
    costUsd: 0,
    usage: { inputTokens: 3, outputTokens: 7, source: 'estimated' },
    finishReason: 'stop',
    model: 'mock',
  });
  expect(await play(mock, {})).toEqual(await play(setup(), {}));
});

test('plain text is the answer at every step', async () => {
  const options = { script: 'Always this: yes' };
  expect((await play(setup(), { options, request: { step: 7 } })).content).toBe('Always this: yes');
});

test('an option that begins with a placeholder is plain text', async () => {
  expect((await play(setup(), { options: { script: '{{agent}} reads {{ input }}' } })).content).toBe('Writer reads the tides');
});

test('an agent’s own script goes before the common one, whatever the case of its name', async () => {
  const options = { script: 'common', 'agent.writer': 'own' };
  expect((await play(setup(), { options })).content).toBe('own');
  expect((await play(setup(), { options, request: { agent: 'other' } })).content).toBe('common');
});

test('a YAML script is played step by step, and after its end the answer is the unscripted one', async () => {
  const options = {
    script: `
- tool: search
  input: { q: tides, top: 3 }
- tools:
    - { tool: a, input: { n: 1 } }
    - { tool: b, arguments: '{not json' }
    - c
  text: both
- text: 'Found {{result}} for {{input}} at step {{step}} by {{agent}}'
  usage: { input: 100, output: 20 }
  finish: length
`,
  };
  const mock = setup();
  const at = (step: number) =>
    play(mock, {
      options,
      request: {
        step,
        messages: [
          { role: 'user', content: 'X' },
          { role: 'tool', toolCallId: '1', toolName: 't', content: 'R' },
        ],
      },
    });
  expect((await at(1)).toolCalls).toEqual([{ id: 'call_1_1', name: 'search', arguments: '{"q":"tides","top":3}' }]);
  expect(await at(2)).toMatchObject({
    content: 'both',
    finishReason: 'tool_calls',
    toolCalls: [
      { id: 'call_2_1', name: 'a', arguments: '{"n":1}' },
      { id: 'call_2_2', name: 'b', arguments: '{not json' },
      { id: 'call_2_3', name: 'c', arguments: '{}' },
    ],
  });
  expect(await at(3)).toMatchObject({
    content: 'Found R for X at step 3 by Writer',
    usage: { inputTokens: 100, outputTokens: 20, source: 'provider' },
    finishReason: 'length',
  });
  expect((await at(4)).content).toBe('Writer received: X');
});

test('a last step that repeats is played forever; JSON works as YAML does', async () => {
  const options = { script: '[{"tool":"poll","repeat":true}]' };
  expect((await play(setup(), { options, request: { step: 50 } })).toolCalls).toHaveLength(1);
});

test('an empty answer is possible', async () => {
  expect(await play(setup(), { options: { script: '- text: ""' } })).toMatchObject({ content: '', toolCalls: [] });
});

describe('errors', () => {
  test('use the class’s own retryability unless the script sets it', async () => {
    const fail = (script: string) => failure(play(setup(), { options: { script } }));
    expect(await fail('- error: rate_limited')).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(await fail('- error: auth_invalid')).toMatchObject({ code: 'auth_invalid', retryable: false });
    expect(
      await fail('- error: { code: execution_failed, retryable: false, reason: http_400, message: no, retry_after: 2s }'),
    ).toMatchObject({
      code: 'execution_failed',
      retryable: false,
      reason: 'http_400',
      message: 'no',
      retryAfterMs: 2000,
    });
  });

  test('with `times` stop after that many calls', async () => {
    const mock = setup();
    const options = { script: '- error: { code: rate_limited, times: 2 }\n  text: ok' };
    await failure(play(mock, { options }));
    await failure(play(mock, { options }));
    expect((await play(mock, { options })).content).toBe('ok');
  });

  test.each([
    ['- error: nonsense', 'spec.options["script"][0].error must be one of'],
    ['- txt: typo', 'spec.options["script"][0].txt is unknown; known are text, tool'],
    ['- delay: soon', 'spec.options["script"][0].delay must be a duration'],
    ['[1, 2', 'spec.options["script"] is neither YAML nor JSON'],
    ['- text: a\n- tools: x', 'spec.options["script"][1].tools must be a list'],
  ])('a script with a mistake says where: %s', async (script, message) => {
    const error = await failure(play(setup(), { options: { script } }));
    expect([error.code, error.retryable]).toEqual(['runtime_policy_invalid', false]);
    expect(error.message).toContain(message);
  });
});

test('a script of YAML has a limit, and JSON of that length is taken', async () => {
  const yaml = '- x\n'.repeat(10_000);
  const error = await failure(play(setup(), { options: { script: yaml } }));
  expect(error.message).toContain('spec.options["script"] must be at most 32768 characters of YAML, not 39999');
  const script = JSON.stringify(Array.from({ length: 10_000 }, () => 'x'));
  expect((await play(setup(), { options: { script } })).content).toBe('x');
});

describe('time', () => {
  test('text streams in pieces with pauses between them', async () => {
    const mock = setup();
    const deltas: string[] = [];
    const call = play(mock, { options: { script: '- { text: abcdef, pieces: 3, piece_delay: 10ms }' }, deltas });
    for (const expected of [['ab'], ['ab', 'cd'], ['ab', 'cd', 'ef']]) {
      await expect.poll(() => deltas).toEqual(expected);
      mock.clock.advance(10);
    }
    expect((await call).content).toBe('abcdef');
  });

  test('pieces never split a character', async () => {
    const deltas: string[] = [];
    await play(setup(), { options: { script: '- { text: 🌊🌊🌊, pieces: 3 }' }, deltas });
    expect(deltas).toEqual(['🌊', '🌊', '🌊']);
  });

  test('a delay holds the answer back, for one step or for the whole endpoint', async () => {
    const endpoints: Record<string, string>[] = [{ script: '- { text: x, delay: 50ms }' }, { script: 'x', delay: '50ms' }];
    for (const options of endpoints) {
      const mock = setup();
      let answered = false;
      const call = play(mock, { options }).then(() => (answered = true));
      mock.clock.advance(49);
      await new Promise(setImmediate);
      expect(answered).toBe(false);
      mock.clock.advance(1);
      await call;
    }
  });

  test('a call that hangs ends in its timeout, or when aborted', async () => {
    const mock = setup();
    const options = { script: '- hang: true', timeout: '1s' };
    const call = failure(play(mock, { options }));
    mock.clock.advance(1000);
    expect((await call).code).toBe('timeout');
    const abort = new AbortController();
    const aborted = failure(play(mock, { options, signal: abort.signal }));
    abort.abort();
    expect((await aborted).code).toBe('canceled');
  });
});

test('the cost of a call does not grow with the transcript', async () => {
  const mock = setup();
  const touched = new Set<string>();
  const messages = new Proxy(
    Array.from({ length: 10_000 }, () => ({ role: 'user' as const, content: 'x' })),
    { get: (target, key, receiver) => (touched.add(String(key)), Reflect.get(target, key, receiver) as unknown) },
  );
  await play(mock, { options: { script: 'fixed' }, request: { messages } });
  expect([...touched].filter((key) => /^\d+$/.test(key)).length).toBeLessThanOrEqual(1);
});

test('plays the first case of a step whose text occurs in the input, and the default answer without a match', async () => {
  const options = {
    script: `
      - cases:
          - { when: first draft, text: Again. }
          - { when: second draft, text: Publish. }
    `,
  };
  const answer = async (content: string) => (await play(setup(), { options, request: { messages: [{ role: 'user', content }] } })).content;
  expect(await answer('the first draft')).toBe('Again.');
  expect(await answer('the second draft')).toBe('Publish.');
  expect(await answer('a poem')).toBe('Writer received: a poem');
});
