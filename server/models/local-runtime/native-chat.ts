// Provider `local-runtime`: the native chat API of a local model runner (POST /api/chat, answers as NDJSON when streamed).
import { isObject, type JsonObject } from '@svc/shared/json';
import { cappedBody, readText } from '../../egress/response.ts';
import { CallError, type ChatMessage, type ModelEndpointRef, type ModelRequest, type ModelResponse } from '../../engine/ports.ts';
import {
  joinUrl,
  malformed,
  modelName,
  parseJson,
  postModel,
  resolveToken,
  withoutSecrets,
  type ModelAnswer,
  type ModelHttpDeps,
} from '../model-http.ts';
import { booleanOption, integerOption, numberOption, textOption } from '../options.ts';
import type { ModelCall, ModelProvider } from '../provider.ts';
import { argumentsObject } from '../tool-arguments.ts';
import { toolNames, type ToolNames } from '../tool-names.ts';
import { estimateUsage } from '../usage.ts';

const INTEGERS = ['num_ctx', 'top_k', 'seed'];
const NUMBERS = ['temperature', 'top_p', 'repeat_penalty'];

export function createNativeChatProvider(deps: ModelHttpDeps): ModelProvider {
  return {
    name: 'local-runtime',
    async complete(call) {
      const { endpoint, request } = call;
      const names = toolNames(request);
      const model = modelName(endpoint);
      const stream = booleanOption(endpoint, 'stream') ?? call.onDelta !== undefined;
      const url = joinUrl(endpoint, { bare: '', path: '/api/chat' });
      return postModel(deps, call, {
        prepare: async () => {
          const token = await resolveToken(deps, endpoint);
          return {
            url,
            headers: {},
            credentials: token ? { authorization: `Bearer ${token}` } : {},
            secrets: token ? [token] : [],
            body: nativeBody(endpoint, request, { model, names, stream }),
          };
        },
        read: async (unread) => {
          const answer = await (stream ? readLines(call, unread) : readWhole(unread));
          return withoutSecrets(toResponse(request, { answer, names, model }), unread.secrets);
        },
      });
    },
  };
}

interface BodyContext {
  readonly model: string;
  readonly names: ToolNames;
  readonly stream: boolean;
}

function nativeBody(endpoint: ModelEndpointRef, request: ModelRequest, { model, names, stream }: BodyContext): Record<string, unknown> {
  const keepAlive = textOption(endpoint, 'keep_alive');
  const format = textOption(endpoint, 'format');
  const think = booleanOption(endpoint, 'think');
  return {
    model,
    messages: request.messages.map((message) => nativeMessage(message, names)),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: {
          name: names.toProvider(name),
          description: description ?? '',
          parameters: inputSchema ?? { type: 'object', properties: {} },
        },
      })),
    }),
    stream,
    options: runnerOptions(endpoint),
    // A bare number is seconds on this wire; only JSON numbers are read as such.
    ...(keepAlive !== undefined && { keep_alive: /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive }),
    ...(format !== undefined && { format: parseJson(format) ?? format }),
    ...(think !== undefined && { think }),
  };
}

function runnerOptions(endpoint: ModelEndpointRef): Record<string, unknown> {
  const stop = textOption(endpoint, 'stop');
  const fields: [string, unknown][] = [
    ...INTEGERS.map((key): [string, unknown] => [key, integerOption(endpoint, key)]),
    ...NUMBERS.map((key): [string, unknown] => [key, numberOption(endpoint, key)]),
    ['num_predict', integerOption(endpoint, 'num_predict') ?? integerOption(endpoint, 'max_tokens')],
    ['stop', stop === undefined ? undefined : [stop]],
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function nativeMessage(message: ChatMessage, names: ToolNames): JsonObject {
  if (message.role === 'tool') return { role: 'tool', tool_name: names.toProvider(message.toolName), content: message.content };
  if (message.role !== 'assistant' || !message.toolCalls?.length) return { role: message.role, content: message.content };
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.toolCalls.map((call) => ({
      function: { name: names.toProvider(call.name), arguments: argumentsObject(call.arguments) },
    })),
  };
}

interface NativeAnswer {
  content: string;
  readonly toolCalls: { readonly name: string; readonly arguments: string }[];
  last: Record<string, unknown>;
}

async function readWhole({ response, limit }: ModelAnswer): Promise<NativeAnswer> {
  const answer = startAnswer();
  addLine(answer, await readText(response, limit), limit.what);
  return finished(answer, limit.what);
}

async function readLines(call: ModelCall, { response, limit }: ModelAnswer): Promise<NativeAnswer> {
  const answer = startAnswer();
  const decoder = new TextDecoder();
  // Pieces of the unfinished line; joined once, so that one endless line costs no more than its length.
  let rest: string[] = [];
  const take = (line: string) => {
    if (line.trim() === '') return;
    const text = addLine(answer, line, limit.what);
    if (text !== '') call.onDelta?.(text);
  };
  try {
    for await (const chunk of cappedBody(response, limit)) {
      const [start = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
      rest.push(start);
      if (lines.length === 0) continue;
      take(rest.join(''));
      rest = [lines.pop() ?? ''];
      lines.forEach(take);
    }
  } finally {
    response.discard();
  }
  take(rest.join(''));
  return finished(answer, limit.what);
}

function startAnswer(): NativeAnswer {
  return { content: '', toolCalls: [], last: {} };
}

function addLine(answer: NativeAnswer, line: string, what: string): string {
  const body = parseJson(line);
  if (!body) throw malformed(what, 'an answer that is not a JSON object');
  if (body['error'] !== undefined) {
    throw new CallError('execution_failed', `${what} broke off with an error`, { retryable: true, reason: 'provider_error' });
  }
  answer.last = body;
  const message = body['message'];
  if (!isObject(message)) return '';
  const text = typeof message['content'] === 'string' ? message['content'] : '';
  answer.content += text;
  for (const call of Array.isArray(message['tool_calls']) ? (message['tool_calls'] as unknown[]) : []) {
    const details = isObject(call) && isObject(call['function']) ? call['function'] : {};
    if (typeof details['name'] !== 'string') throw malformed(what, 'a tool call without a name');
    const input = details['arguments'];
    answer.toolCalls.push({ name: details['name'], arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) });
  }
  return text;
}

function finished(answer: NativeAnswer, what: string): NativeAnswer {
  if (answer.last['done'] !== true) throw malformed(what, 'an answer that broke off before its end');
  return answer;
}

interface Completed {
  readonly answer: NativeAnswer;
  readonly names: ToolNames;
  readonly model: string;
}

function toResponse(request: ModelRequest, { answer, names, model }: Completed): ModelResponse {
  const { content, last } = answer;
  const toolCalls = answer.toolCalls.map((call, i) => ({
    id: `call_${request.step}_${i + 1}`,
    name: names.toOurs(call.name),
    arguments: call.arguments,
  }));
  const { prompt_eval_count: input, eval_count: output, done_reason: reason } = last;
  const counted = typeof input === 'number' && typeof output === 'number';
  const word = typeof reason === 'string' && reason !== '' ? reason : 'stop';
  return {
    content,
    toolCalls,
    usage: counted
      ? { inputTokens: input, outputTokens: output, source: 'provider' }
      : estimateUsage(request.messages, content + toolCalls.map((call) => call.arguments).join('')),
    costUsd: 0,
    finishReason: toolCalls.length > 0 && word === 'stop' ? 'tool_calls' : word,
    model: typeof last['model'] === 'string' ? last['model'] : model,
  };
}
