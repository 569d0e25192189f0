// Puts a chat completion together, whether it came whole or in streamed fragments. Pure: chunks in, one answer out; tolerant of known dialects.
import { isObject } from '@svc/shared/json';

/** A tool call under assembly. */
interface PartialToolCall {
  /** The provider's position; undefined in dialects that leave it out. */
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

export interface Assembly {
  content: string;
  refusal: string;
  readonly toolCalls: PartialToolCall[];
  finishReason: string | undefined;
  model: string | undefined;
  usage: { inputTokens: number; outputTokens: number } | undefined;
  /** A message was seen; an answer without any is no answer. */
  sawChoice: boolean;
}

export function startAssembly(): Assembly {
  return { content: '', refusal: '', toolCalls: [], finishReason: undefined, model: undefined, usage: undefined, sawChoice: false };
}

/** Adds one chunk (or a whole completion) and returns the text it brought. */
export function addChunk(assembly: Assembly, chunk: Record<string, unknown>): string {
  if (typeof chunk['model'] === 'string' && chunk['model'] !== '') assembly.model = chunk['model'];
  assembly.usage = readUsage(chunk['usage']) ?? assembly.usage;
  const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  if (!isObject(choice)) return '';
  if (typeof choice['finish_reason'] === 'string') assembly.finishReason = choice['finish_reason'];
  const delta = choice['delta'];
  const message = delta ?? choice['message'];
  if (!isObject(message)) return '';
  assembly.sawChoice = true;
  const text = readText(message['content']);
  assembly.content += text;
  assembly.refusal += typeof message['refusal'] === 'string' ? message['refusal'] : '';
  const calls: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  // In a whole message every element is a call of its own, whatever ids it repeats.
  for (const call of calls) addToolCall(assembly.toolCalls, call, { whole: delta === undefined || delta === null });
  return text;
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function readUsage(usage: unknown): Assembly['usage'] {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return typeof input === 'number' && typeof output === 'number' ? { inputTokens: input, outputTokens: output } : undefined;
}

function addToolCall(calls: PartialToolCall[], fragment: unknown, { whole }: { whole: boolean }): void {
  if (!isObject(fragment)) return;
  const details = isObject(fragment['function']) ? fragment['function'] : {};
  const id = typeof fragment['id'] === 'string' ? fragment['id'] : '';
  const index = typeof fragment['index'] === 'number' ? fragment['index'] : undefined;
  const name = typeof details['name'] === 'string' ? details['name'] : '';
  const call = (whole ? undefined : continued(calls, { index, id, name })) ?? open(calls, index);
  call.id ||= id;
  call.name ||= name;
  call.arguments += argumentText(details['arguments']);
}

/** The call a fragment goes on with: by position, else by id, else the last; undefined when it starts a new one. */
function continued(
  calls: PartialToolCall[],
  { index, id, name }: { index: number | undefined; id: string; name: string },
): PartialToolCall | undefined {
  if (index === undefined && id === '') return name === '' ? calls.at(-1) : undefined;
  const found = index === undefined ? calls.find((call) => call.id === id) : calls.findLast((call) => call.index === index);
  // Some servers give every parallel call position 0; another id then means another call.
  return found && id !== '' && found.id !== '' && found.id !== id ? undefined : found;
}

function open(calls: PartialToolCall[], index: number | undefined): PartialToolCall {
  const call: PartialToolCall = { index, id: '', name: '', arguments: '' };
  calls.push(call);
  return call;
}

/** An id for each call, by which its result is told apart: the model's own where it is usable. */
export function callIds(calls: readonly Pick<PartialToolCall, 'id'>[], step: number): string[] {
  const taken = new Set<string>();
  return calls.map(({ id }, index) => {
    const own = id !== '' && !taken.has(id) ? id : `call_${step}_${index + 1}`;
    taken.add(own);
    return own;
  });
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
