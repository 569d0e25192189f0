// Puts a chat completion together, whether it came whole or in streamed fragments. Pure: chunks in, one answer out; tolerant of known dialects.
import { filledText, isObject } from '@svc/shared/json';
import { argumentsWritten, TOOL_CALLS_MAX, tokenCount } from '../answer-parts.ts';
import { parseJson } from '../parse-json.ts';
import { addState, callState, startState, type MessageState } from './message-state.ts';

/** A tool call under assembly. */
interface PartialToolCall {
  /** The provider's position; undefined in dialects that leave it out. */
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Fragments that brought a part of the arguments. */
  pieces: number;
  /** Fields that go back with the call. */
  readonly state: Map<string, unknown>;
}

export interface Assembly {
  content: string;
  refusal: string;
  readonly toolCalls: PartialToolCall[];
  readonly state: MessageState;
  finishReason: string | undefined;
  model: string | undefined;
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number } | undefined;
  /** A message was seen; an answer without any is invalid. */
  sawChoice: boolean;
}

export function startAssembly(): Assembly {
  return {
    content: '',
    refusal: '',
    toolCalls: [],
    state: startState(),
    finishReason: undefined,
    model: undefined,
    usage: undefined,
    sawChoice: false,
  };
}

/** Adds one chunk (or a whole completion) and returns the text it brought. */
export function addChunk(assembly: Assembly, chunk: Record<string, unknown>): string {
  if (typeof chunk['model'] === 'string' && chunk['model'] !== '') assembly.model = chunk['model'];
  assembly.usage = readUsage(chunk['usage']) ?? assembly.usage;
  const choice = firstChoice(chunk);
  if (!choice) return '';
  // Some servers send an empty one with every chunk.
  assembly.finishReason = filledText(choice['finish_reason']) ?? assembly.finishReason;
  const delta = choice['delta'];
  const message = delta ?? choice['message'];
  if (!isObject(message)) return '';
  assembly.sawChoice = true;
  const text = readText(message['content']);
  assembly.content += text;
  assembly.refusal += typeof message['refusal'] === 'string' ? message['refusal'] : '';
  const calls: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  const whole = delta === undefined || delta === null;
  addState(assembly.state, message, { whole });
  // In a whole message every element is a call of its own, whatever ids it repeats.
  for (const call of calls) addToolCall(assembly.toolCalls, call, { whole });
  return text;
}

export function firstChoice({ choices }: Record<string, unknown>): Record<string, unknown> | undefined {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(choice) ? choice : undefined;
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function readUsage(usage: unknown): Assembly['usage'] {
  if (!isObject(usage)) return undefined;
  const inputTokens = tokenCount(usage['prompt_tokens']);
  const outputTokens = tokenCount(usage['completion_tokens']);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const details = usage['prompt_tokens_details'];
  const cachedInputTokens = isObject(details) ? tokenCount(details['cached_tokens']) : undefined;
  return { inputTokens, outputTokens, ...(cachedInputTokens !== undefined && { cachedInputTokens }) };
}

/** Calls above the limit only count as one too many: searching ever more of them for each fragment would take too long. */
function addToolCall(calls: PartialToolCall[], fragment: unknown, { whole }: { whole: boolean }): void {
  if (!isObject(fragment) || calls.length > TOOL_CALLS_MAX) return;
  const details = isObject(fragment['function']) ? fragment['function'] : {};
  const id = typeof fragment['id'] === 'string' ? fragment['id'] : '';
  const index = typeof fragment['index'] === 'number' ? fragment['index'] : undefined;
  const name = typeof details['name'] === 'string' ? details['name'] : '';
  const input = argumentsWritten(details['arguments']);
  const call = (whole ? undefined : continued(calls, { index, id, name, input })) ?? open(calls, index);
  call.id ||= id;
  call.name ||= name;
  call.arguments += input;
  call.pieces += input === '' ? 0 : 1;
  for (const [field, value] of callState(fragment)) call.state.set(field, value);
}

interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** The call that a fragment continues: by position, else by id, else the last; undefined when it starts a new one. */
function continued(calls: PartialToolCall[], { index, id, name, input }: Fragment): PartialToolCall | undefined {
  if (index === undefined && id === '') return name === '' ? calls.at(-1) : undefined;
  const found = index === undefined ? calls.find((call) => call.id === id) : calls.findLast((call) => call.index === index);
  // Some servers give each fragment an id of its own, but only the first one a name.
  if (!found || name === '' || (id !== '' && id === found.id)) return found;
  // Some servers give every parallel call position 0: another id then means another call, and so do whole arguments after whole arguments.
  const isOther = (id !== '' && found.id !== '') || (input.startsWith('{') && isWhole(found));
  return isOther ? undefined : found;
}

/** Arguments that came in one fragment: reading them again for each further one would take quadratic time. */
function isWhole(call: PartialToolCall): boolean {
  return call.pieces === 1 && parseJson(call.arguments) !== undefined;
}

function open(calls: PartialToolCall[], index: number | undefined): PartialToolCall {
  const call: PartialToolCall = { index, id: '', name: '', arguments: '', pieces: 0, state: new Map() };
  calls.push(call);
  return call;
}
