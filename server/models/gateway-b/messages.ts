// Provider `gateway-b`: the Messages protocol (POST /v1/messages). Streams when the caller wants to see the text arrive.
import { trimEnd } from '@svc/shared/trim-end';
import { readText } from '../../egress/response.ts';
import type { ModelEndpointRef, ModelResponse, TokenUsage } from '../../engine/ports.ts';
import { answeredBy, callIds, finishWord, TOOL_CALLS_MAX } from '../answer-parts.ts';
import { endpointToken } from '../credentials.ts';
import { openAnswer, readEvents } from '../event-stream.ts';
import { callModel, baseUrl, modelName, type ModelAnswer, type ModelHttpDeps, type ModelPost } from '../model-http.ts';
import { textOption } from '../options.ts';
import { parseJson } from '../parse-json.ts';
import type { ModelCall, ModelProvider } from '../provider.ts';
import { malformed, notJson, throwErrorIn } from '../provider-errors.ts';
import { keptState } from '../provider-state.ts';
import { createStreamingMemory } from '../streaming.ts';
import { toolNames, type ToolNames } from '../tool-names.ts';
import { estimateUsage } from '../usage.ts';
import { addEvent, addWhole, startMessage, thinkingState, toolArguments, type MessageAssembly } from './assembly.ts';
import { betaHeader, credentialHeaders } from './credentials.ts';
import { messagesBody } from './request.ts';

/** The version of the protocol this adapter speaks. */
const VERSION_DEFAULT = '2023-06-01';

/** The protocol's words for an end, in ours. Its other words are passed on. */
const FINISH: ReadonlyMap<string | undefined, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
]);

export function createMessagesProvider(deps: ModelHttpDeps): ModelProvider {
  const streaming = createStreamingMemory(deps.clock);
  return {
    name: 'gateway-b',
    async complete(call) {
      const names = toolNames(call.request);
      const model = modelName(call.endpoint);
      return callModel(deps, call, {
        streaming,
        prepare: (stream) => messagesPost(deps, { call, names, model, stream }),
        read: async (answer, onText) => toResponse(call, { assembly: await readAnswer(deps, { answer, onText }), names, model }),
      });
    },
  };
}

interface MessagesCall {
  readonly call: ModelCall;
  readonly names: ToolNames;
  readonly model: string;
  readonly stream: boolean;
}

async function messagesPost(deps: ModelHttpDeps, { call: { endpoint, request }, names, model, stream }: MessagesCall): Promise<ModelPost> {
  const url = messagesUrl(endpoint);
  const body = messagesBody({ endpoint, request, model, names, stream });
  const token = (await endpointToken({ secrets: deps.secrets, endpoint, required: true })) ?? '';
  return {
    url,
    headers: {
      accept: stream ? 'text/event-stream' : 'application/json',
      'anthropic-version': textOption(endpoint, 'version') ?? VERSION_DEFAULT,
      ...betaHeader(token, textOption(endpoint, 'beta')),
    },
    credentials: credentialHeaders(token),
    secrets: [token],
    body,
  };
}

/** A base_url may end in `/v1` or not, whatever path a proxy puts before it. */
function messagesUrl(endpoint: ModelEndpointRef): string {
  const url = baseUrl(endpoint);
  url.pathname = `${trimEnd(url.pathname, '/').replace(/\/v1$/, '')}/v1/messages`;
  return url.href;
}

interface Reading {
  readonly answer: ModelAnswer;
  readonly onText: (text: string) => void;
}

/** The server decides: a request to stream may get a whole answer. */
async function readAnswer(deps: ModelHttpDeps, { answer: received, onText }: Reading): Promise<MessageAssembly> {
  const { what } = received.limit;
  const assembly = startMessage();
  const { answer, isEvents } = await openAnswer(received);
  if (isEvents) {
    const onEvent = (event: Record<string, unknown>) => {
      const { text, last } = addEvent(assembly, event);
      countCalls(assembly, what);
      onText(text);
      return last;
    };
    const ended = await readEvents(answer, { clock: deps.clock, onEvent });
    if (!assembly.sawMessage) throw malformed(what, 'an event stream without a message');
    if (!ended && assembly.stopReason === undefined) throw malformed(what, 'an event stream that ended too early');
  } else {
    const body = parseJson(await readText(answer.response, answer.limit));
    if (!body) throw notJson(what);
    throwErrorIn(body, what);
    onText(addWhole(assembly, body));
    if (!assembly.sawMessage) throw malformed(what, 'a message without content');
    countCalls(assembly, what);
  }
  if (assembly.toolUses.some(({ name }) => name === '')) throw malformed(what, 'a tool call without a name');
  return assembly;
}

function countCalls({ toolUses }: MessageAssembly, what: string): void {
  if (toolUses.length > TOOL_CALLS_MAX) throw malformed(what, `more than ${TOOL_CALLS_MAX} tool calls`);
}

interface CompletedCall {
  readonly assembly: MessageAssembly;
  readonly names: ToolNames;
  readonly model: string;
}

function toResponse({ endpoint, request }: ModelCall, { assembly, names, model }: CompletedCall): ModelResponse {
  const { content, toolUses, stopReason } = assembly;
  const ids = callIds(toolUses, request.step);
  const toolCalls = toolUses.map((use, index) => ({ id: ids[index] ?? '', name: names.toOurs(use.name), arguments: toolArguments(use) }));
  return {
    content,
    toolCalls,
    usage: readUsage(assembly) ?? estimateUsage(request.messages, content, toolCalls),
    finishReason: finishWord(FINISH.get(stopReason) ?? stopReason, toolCalls.length),
    model: answeredBy(assembly.model, model),
    ...keptState(endpoint, thinkingState(assembly)),
  };
}

/** The protocol counts tokens of the prompt cache apart from the rest of the input. */
function readUsage({ counts }: MessageAssembly): TokenUsage | undefined {
  const { input, output, cacheRead, cacheWrite } = counts;
  if (input === undefined || output === undefined) return undefined;
  return {
    inputTokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    outputTokens: output,
    ...(cacheRead !== undefined && { cachedInputTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    source: 'provider',
  };
}
