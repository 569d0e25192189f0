// The chat completions protocol: `gateway-a`, those compatible with it, and `gateway-c`. Streams when the caller wants to see the text arrive.
import { readText } from '../../egress/response.ts';
import type { ModelResponse } from '../../engine/ports.ts';
import { answeredBy, callIds, finishWord, TOOL_CALLS_MAX } from '../answer-parts.ts';
import { endpointToken } from '../credentials.ts';
import { openAnswer, readEvents } from '../event-stream.ts';
import { callModel, modelName, type ModelAnswer, type ModelHttpDeps } from '../model-http.ts';
import { parseJson } from '../parse-json.ts';
import type { ModelCall, ModelProvider } from '../provider.ts';
import { brokenOff, malformed, notJson, throwErrorIn } from '../provider-errors.ts';
import { keptState } from '../provider-state.ts';
import { createStreamingMemory } from '../streaming.ts';
import { toolNames, type ToolNames } from '../tool-names.ts';
import { estimateUsage } from '../usage.ts';
import { addChunk, firstChoice, startAssembly, type Assembly } from './assembly.ts';
import { createEmbedder } from './embeddings.ts';
import { stateFields } from './message-state.ts';
import { chatBody } from './request.ts';
import type { CompletionsWire } from './wire.ts';

/** Words of servers for an answer that they gave up. */
const INCOMPLETE: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

/** A server's own words for an end, in ours. Other words are passed on. */
const FINISH: ReadonlyMap<string | undefined, string> = new Map([['model_length', 'length']]);

export function createChatCompletionsProvider(deps: ModelHttpDeps, wire: CompletionsWire): ModelProvider {
  const streaming = createStreamingMemory(deps.clock);
  return {
    name: wire.name,
    embed: createEmbedder(deps, wire),
    async complete(call) {
      const { endpoint, request } = call;
      const names = toolNames(request);
      const model = modelName(endpoint);
      const url = wire.url(endpoint, '/chat/completions');
      return callModel(deps, call, {
        streaming,
        prepare: async (stream) => {
          const token = await endpointToken({ secrets: deps.secrets, endpoint, required: wire.secretRequired });
          return {
            url,
            headers: { accept: stream ? 'text/event-stream' : 'application/json', ...wire.headers(endpoint) },
            credentials: token === undefined ? {} : wire.credentials(endpoint, token),
            secrets: token === undefined ? [] : [token],
            body: chatBody({ endpoint, request, model, names, stream }),
          };
        },
        read: async (answer, onText) => toResponse(call, { assembly: await readAnswer(deps, { answer, onText }), names, model }),
      });
    },
  };
}

interface Reading {
  readonly answer: ModelAnswer;
  readonly onText: (text: string) => void;
}

/** The server decides: a request to stream may get a whole answer. */
async function readAnswer(deps: ModelHttpDeps, { answer: received, onText }: Reading): Promise<Assembly> {
  const { what } = received.limit;
  const assembly = startAssembly();
  const add = (chunk: Record<string, unknown>) => {
    throwErrorIn(firstChoice(chunk) ?? {}, what);
    const text = addChunk(assembly, chunk);
    if (assembly.toolCalls.length > TOOL_CALLS_MAX) throw malformed(what, `more than ${TOOL_CALLS_MAX} tool calls`);
    onText(text);
    return false;
  };
  const { answer, isEvents } = await openAnswer(received);
  if (isEvents) {
    const ended = await readEvents(answer, { clock: deps.clock, endMark: '[DONE]', onEvent: add });
    if (!assembly.sawChoice) throw malformed(what, 'an event stream without choices');
    if (!ended && assembly.finishReason === undefined) throw malformed(what, 'an event stream that ended too early');
  } else {
    const body = parseJson(await readText(answer.response, answer.limit));
    if (!body) throw notJson(what);
    throwErrorIn(body, what);
    add(body);
    if (!assembly.sawChoice) throw malformed(what, 'a completion without choices');
  }
  const { finishReason = '' } = assembly;
  if (INCOMPLETE.has(finishReason)) throw brokenOff(what, { code: finishReason });
  if (assembly.toolCalls.some(({ name }) => name === '')) throw malformed(what, 'a tool call without a name');
  return assembly;
}

interface CompletedCall {
  readonly assembly: Assembly;
  readonly names: ToolNames;
  readonly model: string;
}

function toResponse({ endpoint, request }: ModelCall, { assembly, names, model }: CompletedCall): ModelResponse {
  const { finishReason } = assembly;
  const content = assembly.content === '' ? assembly.refusal : assembly.content;
  const ids = callIds(assembly.toolCalls, request.step);
  const toolCalls = assembly.toolCalls.map((call, index) => ({
    id: ids[index] ?? '',
    name: names.toOurs(call.name),
    arguments: call.arguments || '{}',
  }));
  return {
    content,
    toolCalls,
    usage: assembly.usage ? { ...assembly.usage, source: 'provider' } : estimateUsage(request.messages, content, toolCalls),
    finishReason: assembly.refusal !== '' ? 'content_filter' : finishWord(FINISH.get(finishReason) ?? finishReason, toolCalls.length),
    model: answeredBy(assembly.model, model),
    ...keptState(
      endpoint,
      stateFields(
        assembly.state,
        assembly.toolCalls.map(({ state }) => state),
      ),
    ),
  };
}
