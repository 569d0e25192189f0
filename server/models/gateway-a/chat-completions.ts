// The chat completions protocol: providers `gateway-a` and `gateway-a-compatible`. Streams when the caller wants to see the text arrive.
import { createParser } from 'eventsource-parser';
import type { Clock } from '../../clock.ts';
import { cappedBody, readText } from '../../egress/response.ts';
import { CallError, type ModelResponse } from '../../engine/ports.ts';
import { isObject } from '@svc/shared/json';
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
import { booleanOption, textOption } from '../options.ts';
import { endpointTitle, type ModelCall, type ModelProvider } from '../provider.ts';
import { toolNames, type ToolNames } from '../tool-names.ts';
import { estimateUsage } from '../usage.ts';
import { addChunk, callIds, startAssembly, type Assembly } from './assembly.ts';
import { chatBody } from './request.ts';

/** How long the connection may take to end after the last event before it is given up. */
const END_GRACE_MS = 250;
const EVENT_MAX_CHARS = 1024 * 1024;

export interface ChatCompletionsOptions {
  readonly name: string;
  readonly secretRequired: boolean;
}

export function createChatCompletionsProvider(deps: ModelHttpDeps, options: ChatCompletionsOptions): ModelProvider {
  return {
    name: options.name,
    async complete(call) {
      const { endpoint, request } = call;
      const names = toolNames(request);
      const model = modelName(endpoint);
      const stream = booleanOption(endpoint, 'stream') ?? call.onDelta !== undefined;
      const url = joinUrl(endpoint, { bare: '/v1', path: '/chat/completions' });
      return postModel(deps, call, {
        prepare: async () => {
          const token = await requiredToken(deps, call, options.secretRequired);
          return {
            url,
            headers: { accept: stream ? 'text/event-stream' : 'application/json', ...accountHeaders(call) },
            credentials: token === undefined ? {} : { authorization: `Bearer ${token}` },
            secrets: token === undefined ? [] : [token],
            body: chatBody({ endpoint, request, model, names, stream }),
          };
        },
        read: async (answer) => {
          const assembly = await readAnswer(call, { answer, clock: deps.clock });
          return withoutSecrets(toResponse(call, { assembly, names, model }), answer.secrets);
        },
      });
    },
  };
}

async function requiredToken(deps: ModelHttpDeps, { endpoint }: ModelCall, required: boolean): Promise<string | undefined> {
  const token = await resolveToken(deps, endpoint);
  if (token || !required) return token;
  const problem = token === undefined ? 'names no Secret' : 'names a Secret whose value is empty';
  throw new CallError('secret_resolution_failed', `${endpointTitle(endpoint)} auth.secretRef ${problem}, and its provider needs a token`, {
    retryable: false,
  });
}

function accountHeaders({ endpoint }: ModelCall): Record<string, string> {
  const organization = textOption(endpoint, 'organization');
  const project = textOption(endpoint, 'project');
  return { ...(organization && { 'openai-organization': organization }), ...(project && { 'openai-project': project }) };
}

/** The server decides: one that was asked to stream may answer whole. */
async function readAnswer(call: ModelCall, { answer, clock }: { answer: ModelAnswer; clock: Clock }): Promise<Assembly> {
  const streamed = /^text\/event-stream\b/i.test(answer.response.headers['content-type'] ?? '');
  const assembly = startAssembly();
  if (streamed) return readEvents(call, { answer, assembly, clock });
  const body = parseJson(await readText(answer.response, answer.limit));
  if (!body) throw malformed(answer.limit.what, 'an answer that is not a JSON object');
  throwStreamedError(body, answer.limit.what);
  const text = addChunk(assembly, body);
  if (!assembly.sawChoice) throw malformed(answer.limit.what, 'a completion without choices');
  if (text !== '') call.onDelta?.(text);
  return assembly;
}

interface EventReading {
  readonly answer: ModelAnswer;
  readonly assembly: Assembly;
  readonly clock: Clock;
}

async function readEvents(call: ModelCall, { answer, assembly, clock }: EventReading): Promise<Assembly> {
  const { response, limit } = answer;
  const body = cappedBody(response, limit)[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let ended = false;
  const parser = createParser({
    maxBufferSize: EVENT_MAX_CHARS,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw malformed(limit.what, `an event longer than ${EVENT_MAX_CHARS} characters`);
    },
    onEvent: ({ data }) => {
      if (ended) return;
      if (data.trim() === '[DONE]') ended = true;
      else addEvent(call, { data, assembly, what: limit.what });
    },
  });
  try {
    for (let next = await body.next(); !next.done; next = await body.next()) {
      parser.feed(decoder.decode(next.value, { stream: true }));
      // The end of the body keeps the connection usable, but nobody waits long for it.
      if (ended) await Promise.race([body.next().catch(() => undefined), clock.sleep(END_GRACE_MS, answer.signal)]);
      if (ended) break;
    }
  } finally {
    response.discard();
  }
  if (!assembly.sawChoice) throw malformed(limit.what, 'an event stream without choices');
  if (!ended && assembly.finishReason === undefined) throw malformed(limit.what, 'an event stream that broke off before its end');
  return assembly;
}

function addEvent(call: ModelCall, { data, assembly, what }: { data: string; assembly: Assembly; what: string }): void {
  const chunk = parseJson(data);
  if (!chunk) throw malformed(what, 'an event that is not a JSON object');
  throwStreamedError(chunk, what);
  const text = addChunk(assembly, chunk);
  if (text !== '') call.onDelta?.(text);
}

/** Errors after the status line arrive as a body; their code is the only part that can be trusted to be safe. */
function throwStreamedError(body: Record<string, unknown>, what: string): void {
  const error = body['error'];
  if (error === undefined || error === null) return;
  const word = isObject(error) ? (error['code'] ?? error['type']) : undefined;
  const code = typeof word === 'string' && /^[\w.-]{1,64}$/.test(word) ? word : 'error';
  const limited = code === 'rate_limit_exceeded' || code === 'rate_limit_error';
  throw new CallError(limited ? 'rate_limited' : 'execution_failed', `${what} broke off with an error (${code})`, {
    retryable: code !== 'invalid_request_error' && code !== 'insufficient_quota',
    reason: code,
  });
}

interface Completed {
  readonly assembly: Assembly;
  readonly names: ToolNames;
  readonly model: string;
}

function toResponse({ request }: ModelCall, { assembly, names, model }: Completed): ModelResponse {
  const content = assembly.content === '' ? assembly.refusal : assembly.content;
  const ids = callIds(assembly.toolCalls, request.step);
  const toolCalls = assembly.toolCalls.map((call, index) => ({
    id: ids[index] ?? '',
    name: names.toOurs(call.name),
    arguments: call.arguments || '{}',
  }));
  const written = content + toolCalls.map((call) => call.arguments).join('');
  return {
    content,
    toolCalls,
    usage: assembly.usage ? { ...assembly.usage, source: 'provider' } : estimateUsage(request.messages, written),
    finishReason: assembly.refusal !== '' ? 'content_filter' : (assembly.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
    model: assembly.model ?? model,
  };
}
