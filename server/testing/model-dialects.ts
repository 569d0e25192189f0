// Wire formats of each provider from the server's side: one neutral answer, written as that provider would write it.
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';

export const MODEL_TOKEN = 'sk-very-secret-token';

/** Neutral answer of a model, in no provider's format. */
export interface ModelAnswer {
  /** The text, piece by piece. */
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'a_new_word';
  /** Left out: none is reported. Anything else is reported as it is. */
  readonly usage?: { readonly input: unknown; readonly output: unknown };
}

export interface ModelDialect {
  readonly title: string;
  readonly spec: (url: string) => ModelEndpointSpec;
  /** Where a call arrives, query included. */
  readonly path: string;
  /** The header that carries the token, as the server sees it. */
  readonly credential: readonly [header: string, value: string];
  readonly whole: (said: ModelAnswer) => object;
  readonly stream: (said: ModelAnswer) => string;
  readonly streamType: string;
  /** An error in the middle of a stream, and what it is to become. */
  readonly brokenOff: { readonly piece: string; readonly code: string; readonly retryable: boolean };
}

const spec = (provider: string, base_url: string, more: Partial<ModelEndpointSpec> = {}): ModelEndpointSpec => ({
  provider,
  base_url,
  default_model: 'm1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  ...more,
});

const event = (data: object | string, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Text cut in two, so that arguments never come whole. */
const halves = (text: string): [string, string] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

// ---------------------------------------------------------------- chat completions

const completionUsage = (usage: NonNullable<ModelAnswer['usage']>) => ({ prompt_tokens: usage.input, completion_tokens: usage.output });
const chunk = (delta: object, finish: string | null = null) =>
  event({ model: 'm1-2026', choices: [{ index: 0, delta, finish_reason: finish }] });

const completions = {
  whole: ({ text = [], calls = [], finish = 'stop', usage }: ModelAnswer) => ({
    model: 'm1-2026',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text.join('') || null,
          reasoning_content: 'hm',
          ...(calls.length > 0 && {
            tool_calls: calls.map((call, index) => ({ id: `c${index + 1}`, type: 'function', function: call })),
          }),
        },
        finish_reason: finish,
      },
    ],
    ...(usage && { usage: completionUsage(usage) }),
  }),
  /** The calls come interleaved, as from a model that writes them side by side. */
  stream: ({ text = [], calls = [], finish = 'stop', usage }: ModelAnswer) =>
    [
      ': keep-alive\n\n',
      event({ model: 'm1-2026', choices: [], prompt_filter_results: [] }),
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'h' }),
      chunk({ reasoning_content: 'm' }),
      ...text.map((content) => chunk({ content })),
      ...calls.map(({ name, arguments: input }, index) =>
        chunk({ tool_calls: [{ index, id: `c${index + 1}`, function: { name, arguments: halves(input)[0] } }] }),
      ),
      ...calls.map(({ arguments: input }, index) => chunk({ tool_calls: [{ index, function: { arguments: halves(input)[1] } }] })),
      chunk({}, finish),
      ...(usage ? [event({ model: 'm1-2026', choices: [], usage: completionUsage(usage) })] : []),
      event('[DONE]'),
    ].join(''),
  streamType: 'text/event-stream; charset=utf-8',
  brokenOff: { piece: event({ error: { code: 'rate_limit_exceeded', message: MODEL_TOKEN } }), code: 'rate_limited', retryable: true },
};

// ---------------------------------------------------------------- messages

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  a_new_word: 'a_new_word',
};

const messages = {
  whole: ({ text = [], calls = [], finish = 'stop', usage }: ModelAnswer) => ({
    type: 'message',
    role: 'assistant',
    model: 'm1-2026',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
      ...calls.map(({ name, arguments: input }, index) => ({
        type: 'tool_use',
        id: `c${index + 1}`,
        name,
        input: JSON.parse(input) as object,
      })),
    ],
    stop_reason: STOP_REASONS[finish],
    ...(usage && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
  }),
  stream: ({ text = [], calls = [], finish = 'stop', usage }: ModelAnswer) => {
    const started = { type: 'message', role: 'assistant', model: 'm1-2026', content: [], stop_reason: null };
    const said = (type: string, fields: object) => event({ type, ...fields }, type);
    const block = (index: number, start: object, deltas: readonly object[]) =>
      [
        said('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => said('content_block_delta', { index, delta })),
        said('content_block_stop', { index }),
      ].join('');
    return [
      said('message_start', { message: { ...started, ...(usage && { usage: { input_tokens: usage.input, output_tokens: 1 } }) } }),
      said('ping', {}),
      block(0, { type: 'thinking', thinking: '' }, [{ type: 'thinking_delta', thinking: 'hm' }]),
      block(
        1,
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      ),
      ...calls.map(({ name, arguments: input }, index) =>
        block(
          index + 2,
          { type: 'tool_use', id: `c${index + 1}`, name, input: {} },
          halves(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ),
      ),
      said('a_new_event', { anything: true }),
      said('message_delta', { delta: { stop_reason: STOP_REASONS[finish] }, ...(usage && { usage: { output_tokens: usage.output } }) }),
      said('message_stop', {}),
    ].join('');
  },
  streamType: 'text/event-stream',
  brokenOff: {
    piece: event({ type: 'error', error: { type: 'overloaded_error', message: MODEL_TOKEN } }, 'error'),
    code: 'execution_failed',
    retryable: true,
  },
};

// ---------------------------------------------------------------- native chat

const nativeEnd = ({ finish = 'stop', usage }: ModelAnswer) => ({
  done: true,
  done_reason: finish === 'tool_calls' ? 'stop' : finish,
  ...(usage && { prompt_eval_count: usage.input, eval_count: usage.output }),
});
const nativeCalls = ({ calls = [] }: ModelAnswer) =>
  calls.map(({ name, arguments: input }) => ({ function: { name, arguments: JSON.parse(input) as object } }));

const native = {
  whole: (said: ModelAnswer) => ({
    model: 'm1-2026',
    message: { role: 'assistant', content: (said.text ?? []).join(''), tool_calls: nativeCalls(said) },
    ...nativeEnd(said),
  }),
  stream: (said: ModelAnswer) =>
    [
      ...(said.text ?? []).map((content) => ({ message: { role: 'assistant', content }, done: false })),
      ...nativeCalls(said).map((call) => ({ message: { role: 'assistant', content: '', tool_calls: [call] }, done: false })),
      { message: { role: 'assistant', content: '' }, ...nativeEnd(said) },
    ]
      .map((line) => `${JSON.stringify({ model: 'm1-2026', ...line })}\n`)
      .join(''),
  streamType: 'application/x-ndjson',
  brokenOff: { piece: `${JSON.stringify({ error: MODEL_TOKEN })}\n`, code: 'execution_failed', retryable: true },
};

// ---------------------------------------------------------------- the providers

const bearer = ['authorization', `Bearer ${MODEL_TOKEN}`] as const;

export const MODEL_DIALECTS: readonly ModelDialect[] = [
  { title: 'gateway-a', spec: (url) => spec('gateway-a', `${url}/v1`), path: '/v1/chat/completions', credential: bearer, ...completions },
  {
    title: 'gateway-a-compatible',
    spec: (url) => spec('gateway-a-compatible', url),
    path: '/v1/chat/completions',
    credential: bearer,
    ...completions,
  },
  { title: 'gateway-b', spec: (url) => spec('gateway-b', url), path: '/v1/messages', credential: ['x-api-key', MODEL_TOKEN], ...messages },
  {
    title: 'gateway-c',
    spec: (url) => spec('gateway-c', url),
    path: '/openai/deployments/m1/chat/completions?api-version=2024-10-21',
    credential: ['api-key', MODEL_TOKEN],
    ...completions,
  },
  { title: 'local-runtime', spec: (url) => spec('local-runtime', url), path: '/api/chat', credential: bearer, ...native },
  {
    title: 'local-runtime at /v1',
    spec: (url) => spec('local-runtime', `${url}/v1`),
    path: '/v1/chat/completions',
    credential: bearer,
    ...completions,
  },
];
