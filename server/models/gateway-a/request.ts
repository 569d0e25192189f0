// Our request in the wire form of the chat completions protocol. Pure.
import type { JsonObject } from '@svc/shared/json';
import type { ChatMessage, ModelEndpointRef, ModelRequest, ToolSchema } from '../../engine/ports.ts';
import { extraBody } from '../extra-body.ts';
import { mergeMessages } from '../merge-messages.ts';
import { booleanOption, integerOption, numberOption, objectOption, textOption } from '../options.ts';
import { ownStates } from '../provider-state.ts';
import { argumentsText } from '../tool-arguments.ts';
import type { ToolNames } from '../tool-names.ts';
import { toolParameters } from '../tool-parameters.ts';
import { sentState, type SentState } from './message-state.ts';

export interface ChatRequest {
  readonly endpoint: ModelEndpointRef;
  readonly request: ModelRequest;
  readonly model: string;
  readonly names: ToolNames;
  readonly stream: boolean;
}

const NUMBERS = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];
const INTEGERS = ['max_tokens', 'max_completion_tokens', 'seed'];
const TEXTS = ['reasoning_effort', 'user', 'service_tier'];
/** Words of `tool_choice`; anything else names a tool. */
const CHOICES: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
]);

export function chatBody({ endpoint, request, model, names, stream }: ChatRequest): Record<string, unknown> {
  const stateOf = ownStates(endpoint);
  const reportUsage = booleanOption(endpoint, 'stream_usage') ?? true;
  return {
    model,
    messages: mergeMessages(request.messages).map((message) => chatMessage(message, names, sentState(stateOf(message)))),
    ...tuning(endpoint),
    ...(request.tools.length > 0 && { tools: request.tools.map((tool) => chatTool(tool, names)), ...toolUse(endpoint, names) }),
    stream,
    ...(stream && reportUsage && { stream_options: { include_usage: true } }),
    ...extraBody(endpoint),
  };
}

function tuning(endpoint: ModelEndpointRef): Record<string, unknown> {
  const fields: [string, unknown][] = [
    ...NUMBERS.map((key): [string, unknown] => [key, numberOption(endpoint, key)]),
    ...INTEGERS.map((key): [string, unknown] => [key, integerOption(endpoint, key)]),
    ...TEXTS.map((key): [string, unknown] => [key, textOption(endpoint, key)]),
    ['stop', textOption(endpoint, 'stop')],
    ['response_format', objectOption(endpoint, 'response_format')],
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Refused by servers when no tools are offered. */
function toolUse(endpoint: ModelEndpointRef, names: ToolNames): Record<string, unknown> {
  const choice = textOption(endpoint, 'tool_choice');
  const parallel = booleanOption(endpoint, 'parallel_tool_calls');
  const named = (name: string) => ({ type: 'function', function: { name: names.toProvider(name) } });
  return {
    ...(choice !== undefined && { tool_choice: CHOICES.get(choice.toLowerCase()) ?? named(choice) }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  };
}

function chatTool(tool: ToolSchema, names: ToolNames): JsonObject {
  const { name, description } = tool;
  const parameters = toolParameters(tool);
  return { type: 'function', function: { name: names.toProvider(name), ...(description && { description }), parameters } };
}

function chatMessage(message: ChatMessage, names: ToolNames, state: SentState): Record<string, unknown> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== 'assistant' || !message.toolCalls?.length) return { role: message.role, content: message.content };
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    ...state.message,
    tool_calls: message.toolCalls.map((call, index) => ({
      ...state.ofCall(index),
      id: call.id,
      type: 'function',
      function: { name: names.toProvider(call.name), arguments: argumentsText(call.arguments) },
    })),
  };
}
