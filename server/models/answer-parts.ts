// The parts of an answer that every provider has and that are never to be trusted: calls, ids, counts, words. Pure.
import { isObject } from '@svc/shared/json';
import { JSON_VALUES_MAX, measure } from '@svc/shared/json-text';
import { textStart } from '@svc/shared/text-start';

/** Tool calls one answer may hold; beyond it the answer is invalid. */
export const TOOL_CALLS_MAX = 256;

/** Longer ids, names of models and words are cut or replaced: nobody reads them, and they are recorded. */
const ID_MAX_CHARS = 256;
const MODEL_MAX_CHARS = 256;
const WORD = /^[\w.-]{1,64}$/;

/** An id for each call, which links its result: the model's own where it is usable. */
export function callIds(calls: readonly { readonly id: string }[], step: number): string[] {
  const taken = new Set<string>();
  return calls.map(({ id }, index) => {
    const usable = id !== '' && id.length <= ID_MAX_CHARS && !taken.has(id);
    const own = usable ? id : `call_${step}_${index + 1}`;
    taken.add(own);
    return own;
  });
}

/** Reads a count of tokens; undefined when the value is not a count. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Why an answer ended, in our words where we have one: a provider's own word, `stop` where it says none, `tool_calls` for a plain end with calls. */
export function finishWord(word: unknown, calls: number): string {
  const plain = typeof word !== 'string' || word === '' ? 'stop' : WORD.test(word) ? word : 'unknown';
  return plain === 'stop' && calls > 0 ? 'tool_calls' : plain;
}

/** The model that answered, else the requested one. */
export function answeredBy(said: unknown, asked: string): string {
  return typeof said === 'string' && said !== '' ? textStart(said, MODEL_MAX_CHARS) : asked;
}

/** Arguments as text, whether they came as text or as JSON. Nested too deeply to be written, they become invalid JSON, and the model gets an error. */
export function argumentsWritten(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  try {
    return JSON.stringify(value);
  } catch {
    return '(nested too deeply)';
  }
}

/** Whether the arguments of the calls hold more values together than a JSON text may. Arguments that do so alone are not counted: nobody parses them. */
export function holdTooManyValues(calls: readonly { readonly arguments: string }[]): boolean {
  const found = calls.map((call) => measure(call.arguments, { values: JSON_VALUES_MAX, depth: Infinity }));
  return found.reduce((sum, { values, passed }) => sum + (passed ? 0 : values), 0) > JSON_VALUES_MAX;
}
