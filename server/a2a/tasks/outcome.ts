// The output of a run as A2A parts: text, a data part where it is JSON, or literally the parts or the message that it says. Pure.
import { isObject, readJson } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
import type { Part } from '../model.ts';
import { readParts } from '../rpc/read-message.ts';

export interface Outcome {
  readonly parts: readonly Part[];
  /** The parts are a message of their own, in place of an artifact. */
  readonly isReply: boolean;
}

const DEPTH_MAX = 64;

/** Text of this beginning may turn out to be JSON. */
export const mayBeJson = (text: string): boolean => /^\s*(?:[{[]|$)/.test(text);

export function outcomeOf(output: string): Outcome {
  const value = jsonOf(output);
  if (value === undefined) return { parts: output === '' ? [] : [{ kind: 'text', text: output }], isReply: false };
  return literalOf(value) ?? { parts: [{ kind: 'data', data: value }], isReply: false };
}

/** An object or a list; undefined for any other text. */
function jsonOf(output: string): unknown {
  if (!mayBeJson(output) || passedLimit(output, { values: JSON_VALUES_MAX, depth: DEPTH_MAX }) !== undefined) return undefined;
  return readJson(output);
}

/** `{"a2a":{"parts":[…]}}` and `{"a2a":{"message":{"parts":[…]}}}`; undefined for parts that are not valid A2A parts. */
function literalOf(value: unknown): Outcome | undefined {
  const said = isObject(value) ? value['a2a'] : undefined;
  if (!isObject(said)) return undefined;
  const { message } = said;
  const isReply = isObject(message);
  try {
    return { parts: readParts(isReply ? message['parts'] : said['parts'], 'a2a', 'v1'), isReply };
  } catch {
    return undefined;
  }
}
