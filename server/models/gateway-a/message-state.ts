// State of a chat completion with tool calls: the fields that servers demand back with the message and its calls. Pure.
import { isObject } from '@svc/shared/json';

const TEXT = 'reasoning_content';
const LISTS = ['reasoning_details', 'thinking_blocks'];
/** Fields of a call that are part of the answer; every other one is state, such as `extra_content`. */
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'index', 'type', 'function']);
/** Fields of a list's item that a stream sends in pieces. */
const GROWING = ['text', 'summary', 'thinking'];

/** State under assembly, by the name of its field. */
export interface MessageState {
  text: string | undefined;
  readonly lists: Map<string, Record<string, unknown>[]>;
}

export function startState(): MessageState {
  return { text: undefined, lists: new Map() };
}

/** Adds what a message, or a fragment of one, brought. */
export function addState(state: MessageState, message: Readonly<Record<string, unknown>>, { whole }: { whole: boolean }): void {
  const text = message[TEXT];
  if (typeof text === 'string') state.text = (state.text ?? '') + text;
  for (const field of LISTS) {
    const items: unknown = message[field];
    if (!Array.isArray(items)) continue;
    const list = state.lists.get(field) ?? [];
    state.lists.set(field, list);
    for (const item of items.filter(isObject)) if (whole || !continueItem(list.at(-1), item)) list.push(item);
  }
}

/** Adds a fragment to the item before it: one of the same type and position that is not signed yet. */
function continueItem(last: Record<string, unknown> | undefined, item: Readonly<Record<string, unknown>>): boolean {
  const grown = GROWING.filter((field) => typeof item[field] === 'string');
  const { signature } = item;
  if (!last || last['type'] !== item['type'] || last['index'] !== item['index'] || last['signature']) return false;
  if (grown.length === 0 && !signature) return false;
  for (const field of grown) last[field] = `${typeof last[field] === 'string' ? last[field] : ''}${String(item[field])}`;
  if (signature) last['signature'] = signature;
  return true;
}

/** Fields of a call, or of a fragment of one, that are state. */
export function callState(call: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(call).filter(([field, value]) => !CALL_FIELDS.has(field) && value !== null);
}

/** All of it; undefined where there is none. `calls` are in the order of the tool calls. */
export function stateFields({ text, lists }: MessageState, calls: readonly ReadonlyMap<string, unknown>[]): object | undefined {
  const message = { ...(text !== undefined && { [TEXT]: text }), ...Object.fromEntries(lists) };
  const isEmpty = Object.keys(message).length === 0 && calls.every(({ size }) => size === 0);
  return isEmpty || calls.length === 0 ? undefined : { message, calls: calls.map((fields) => Object.fromEntries(fields)) };
}

export interface SentState {
  readonly message: Readonly<Record<string, unknown>>;
  /** Fields of the call at this position. */
  readonly ofCall: (index: number) => Readonly<Record<string, unknown>>;
}

/** The same as read from a message of a request. */
export function sentState({ message, calls }: Readonly<Record<string, unknown>>): SentState {
  return {
    message: isObject(message) ? message : {},
    ofCall(index) {
      const fields: unknown = Array.isArray(calls) ? calls[index] : undefined;
      return isObject(fields) ? fields : {};
    },
  };
}
