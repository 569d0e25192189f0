// Provider `local-runtime`: the native chat API of a local model runner (POST /api/chat, answers as NDJSON when streamed).
import { isObject, type JsonObject } from '@svc/shared/json';
import type { Clock } from '../../clock.ts';
import { cappedBody, readText } from '../../egress/response.ts';
import type { ChatMessage, ModelEndpointRef, ModelRequest, ModelResponse } from '../../engine/ports.ts';
import { answeredBy, argumentsWritten, callIds, finishWord, TOOL_CALLS_MAX, tokenCount } from '../answer-parts.ts';
import { endpointToken } from '../credentials.ts';
import { bodyEnds } from '../event-stream.ts';
import { mergeMessages } from '../merge-messages.ts';
import { callModel, joinUrl, modelName, type ModelAnswer, type ModelHttpDeps } from '../model-http.ts';
import { booleanOption, integerOption, numberOption, textOption } from '../options.ts';
import { parseJson } from '../parse-json.ts';
import type { ModelProvider } from '../provider.ts';
import { malformed, notJson, throwErrorIn } from '../provider-errors.ts';
import { argumentsObject } from '../tool-arguments.ts';
import { createStreamingMemory } from '../streaming.ts';
import { toolNames, type ToolNames } from '../tool-names.ts';
import { toolParameters } from '../tool-parameters.ts';
import { estimateUsage } from '../usage.ts';

const INTEGERS = ['num_ctx', 'top_k', 'seed'];
const NUMBERS = ['temperature', 'top_p', 'repeat_penalty'];

export function createNativeChatProvider(deps: ModelHttpDeps): ModelProvider {
  const streaming = createStreamingMemory(deps.clock);
  return {
    name: 'local-runtime',
    async complete(call) {
      const { endpoint, request } = call;
      const names = toolNames(request);
      const model = modelName(endpoint);
      const url = joinUrl(endpoint, { bare: '', path: '/api/chat' });
      let asLines = false;
      return callModel(deps, call, {
        streaming,
        prepare: async (stream) => {
          asLines = stream;
          const token = await endpointToken({ secrets: deps.secrets, endpoint, required: false });
          return {
            url,
            headers: {},
            credentials: token ? { authorization: `Bearer ${token}` } : {},
            secrets: token ? [token] : [],
            body: nativeBody(endpoint, request, { model, names, stream }),
          };
        },
        read: async (unread, onText) => {
          const lines = asLines || /^application\/x-ndjson\b/i.test(unread.response.headers['content-type'] ?? '');
          const answer = await (lines ? readLines(unread, { clock: deps.clock, onText }) : readWhole(unread, onText));
          return toResponse(request, { answer, names, model });
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
    messages: mergeMessages(request.messages).map((message) => nativeMessage(message, names)),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool) => ({
        type: 'function',
        function: { name: names.toProvider(tool.name), description: tool.description ?? '', parameters: toolParameters(tool) },
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
  readonly toolCalls: { readonly id: string; readonly name: string; readonly arguments: string }[];
  last: Record<string, unknown>;
}

async function readWhole({ response, limit }: ModelAnswer, onText: (text: string) => void): Promise<NativeAnswer> {
  const answer = startAnswer();
  onText(addLine(answer, await readText(response, limit), limit.what));
  return finished(answer, limit.what);
}

interface LineReader {
  readonly clock: Clock;
  readonly onText: (text: string) => void;
}

/** Up to the line that says `done`: what follows is no part of the answer. */
async function readLines({ response, limit }: ModelAnswer, { clock, onText }: LineReader): Promise<NativeAnswer> {
  const answer = startAnswer();
  const decoder = new TextDecoder();
  // Pieces of the unfinished line; joined once, so that one endless line costs no more than its length.
  let rest: string[] = [];
  const take = (line: string) => {
    if (line.trim() === '' || isDone(answer)) return;
    onText(addLine(answer, line, limit.what));
  };
  const body = cappedBody(response, limit)[Symbol.asyncIterator]();
  try {
    for (let next = await body.next(); !next.done; next = await body.next()) {
      const [start = '', ...lines] = decoder.decode(next.value, { stream: true }).split('\n');
      rest.push(start);
      if (lines.length === 0) continue;
      take(rest.join(''));
      rest = [lines.pop() ?? ''];
      lines.forEach(take);
      if (!isDone(answer)) continue;
      await bodyEnds(body, clock);
      break;
    }
  } finally {
    response.discard();
  }
  take(rest.join(''));
  return finished(answer, limit.what);
}

const isDone = ({ last }: NativeAnswer): boolean => last['done'] === true;

function startAnswer(): NativeAnswer {
  return { content: '', toolCalls: [], last: {} };
}

function addLine(answer: NativeAnswer, line: string, what: string): string {
  const body = parseJson(line);
  if (!body) throw notJson(what);
  throwErrorIn(body, what);
  answer.last = body;
  const message = body['message'];
  if (!isObject(message)) return '';
  const text = typeof message['content'] === 'string' ? message['content'] : '';
  answer.content += text;
  for (const call of Array.isArray(message['tool_calls']) ? (message['tool_calls'] as unknown[]) : []) {
    const details = isObject(call) && isObject(call['function']) ? call['function'] : {};
    if (typeof details['name'] !== 'string' || details['name'] === '') throw malformed(what, 'a tool call without a name');
    answer.toolCalls.push({ id: '', name: details['name'], arguments: argumentsWritten(details['arguments']) || '{}' });
    if (answer.toolCalls.length > TOOL_CALLS_MAX) throw malformed(what, `more than ${TOOL_CALLS_MAX} tool calls`);
  }
  return text;
}

function finished(answer: NativeAnswer, what: string): NativeAnswer {
  if (!isDone(answer)) throw malformed(what, 'an answer that ended too early');
  return answer;
}

interface CompletedCall {
  readonly answer: NativeAnswer;
  readonly names: ToolNames;
  readonly model: string;
}

function toResponse(request: ModelRequest, { answer, names, model }: CompletedCall): ModelResponse {
  const { content, last } = answer;
  const ids = callIds(answer.toolCalls, request.step);
  const toolCalls = answer.toolCalls.map((call, index) => ({ ...call, id: ids[index] ?? '', name: names.toOurs(call.name) }));
  const inputTokens = tokenCount(last['prompt_eval_count']);
  const outputTokens = tokenCount(last['eval_count']);
  const counted = inputTokens !== undefined && outputTokens !== undefined;
  return {
    content,
    toolCalls,
    usage: counted ? { inputTokens, outputTokens, source: 'provider' } : estimateUsage(request.messages, content, toolCalls),
    finishReason: finishWord(last['done_reason'], toolCalls.length),
    model: answeredBy(last['model'], model),
  };
}
