// Our request in the wire form of the Messages protocol. Pure.
import type { JsonObject } from '@svc/shared/json';
import type { ModelEndpointRef, ModelRequest } from '../../engine/ports.ts';
import { extraBody } from '../extra-body.ts';
import { booleanOption, integerOption, numberOption, textOption } from '../options.ts';
import { ownStates } from '../provider-state.ts';
import type { ToolNames } from '../tool-names.ts';
import { systemPrompt, turns } from './conversation.ts';

/** The protocol demands a limit. Every model in service takes this one. */
const MAX_TOKENS_DEFAULT = 8_192;

export interface MessagesRequest {
  readonly endpoint: ModelEndpointRef;
  readonly request: ModelRequest;
  readonly model: string;
  readonly names: ToolNames;
  readonly stream: boolean;
}

export function messagesBody({ endpoint, request, model, names, stream }: MessagesRequest): Record<string, unknown> {
  const system = systemPrompt(request.messages);
  return {
    model,
    max_tokens: integerOption(endpoint, 'max_tokens') ?? MAX_TOKENS_DEFAULT,
    ...(system !== undefined && { system }),
    messages: turns(request.messages, { names, stateOf: ownStates(endpoint) }),
    ...tuning(endpoint),
    ...(request.tools.length > 0 && { tools: tools(request, names), ...toolChoice(endpoint, names) }),
    stream,
    ...extraBody(endpoint),
  };
}

function tuning(endpoint: ModelEndpointRef): Record<string, unknown> {
  const stop = textOption(endpoint, 'stop');
  const user = textOption(endpoint, 'user');
  const fields: [string, unknown][] = [
    ['temperature', numberOption(endpoint, 'temperature')],
    ['top_p', numberOption(endpoint, 'top_p')],
    ['top_k', integerOption(endpoint, 'top_k')],
    ['service_tier', textOption(endpoint, 'service_tier')],
    ['stop_sequences', stop === undefined ? undefined : [stop]],
    ['metadata', user === undefined ? undefined : { user_id: user }],
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function tools({ tools: offered }: ModelRequest, names: ToolNames): JsonObject[] {
  return offered.map(({ name, description, inputSchema }) => ({
    name: names.toProvider(name),
    ...(description && { description }),
    // The protocol refuses a schema without a type.
    input_schema: { type: 'object', ...inputSchema },
  }));
}

const CHOICES: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['any', 'any'],
  ['required', 'any'],
]);

/** `tool_choice` as the other providers take it: a word, or the name of one tool. */
function toolChoice(endpoint: ModelEndpointRef, names: ToolNames): { tool_choice?: JsonObject } {
  const choice = textOption(endpoint, 'tool_choice');
  const parallel = booleanOption(endpoint, 'parallel_tool_calls');
  if (choice === undefined && parallel !== false) return {};
  const word = CHOICES.get((choice ?? 'auto').toLowerCase());
  const picked: JsonObject = word === undefined ? { type: 'tool', name: names.toProvider(choice ?? '') } : { type: word };
  return { tool_choice: { ...picked, ...(parallel === false && word !== 'none' && { disable_parallel_tool_use: true }) } };
}
