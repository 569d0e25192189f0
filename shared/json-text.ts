// Size of a JSON text, read without parsing it: parsing, checking and copying all take time for each value, and this bounds them beforehand. Pure.

/** Values and levels that a text may hold. */
export interface JsonTextLimits {
  readonly values: number;
  readonly depth: number;
}

/** Values of one document or of one call's arguments: 0.1 s of work at most, all steps together. */
export const JSON_VALUES_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The limit that a text passes, or undefined. One pass, no memory. Text that is not JSON is measured as if it were. */
export function passedLimit(text: string, limits: JsonTextLimits): keyof JsonTextLimits | undefined {
  return measure(text, limits).passed;
}

export interface JsonMeasure {
  readonly values: number;
  /** Names of members, each as often as the text holds it. */
  readonly keys: number;
  readonly passed?: keyof JsonTextLimits;
}

/** The values and keys of a text up to the limit that it passes, and that limit. */
export function measure(text: string, limits: JsonTextLimits): JsonMeasure {
  // Each value but the first of its list or object follows a comma; each list and object is one, and may hold a first.
  let values = 1;
  let keys = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === COLON) keys += 1;
    else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      if (depth > limits.depth) return { values, keys, passed: 'depth' };
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (values > limits.values) return { values, keys, passed: 'values' };
  }
  return { values, keys };
}

/** Where the string ends that begins at `start`; the end of the text for one that does not. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

const KEY_SHOWN_MAX = 100;

interface OpenValue {
  readonly path: string;
  /** Keys of an object so far; absent for a list. */
  readonly keys?: Set<string>;
  /** Path of the member or item at the current position. */
  at: string;
  index: number;
}

/** Paths of the first keys that an object has more than once, in a JSON text that parses. */
export function repeatedKeys(json: string, shownMax: number): string[] {
  const repeated: string[] = [];
  const open: OpenValue[] = [{ path: '', at: '', index: 0 }];
  for (let at = 0; at < json.length && repeated.length < shownMax; at += 1) {
    const code = json.charCodeAt(at);
    const inner = open.at(-1);
    if (code === OPEN_OBJECT || code === OPEN_LIST) open.push(openValue(inner?.at ?? '', code));
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
    else if (code === COMMA && inner && !inner.keys) inner.at = `${inner.path}[${(inner.index += 1)}]`;
    else if (code === QUOTE) {
      const end = stringEnd(json, at) + 1;
      const isKey = json.charCodeAt(afterSpace(json, end)) === COLON;
      if (isKey && inner?.keys && noteKey(inner, JSON.parse(json.slice(at, end)) as string)) repeated.push(inner.at);
      at = end - 1;
    }
  }
  return repeated;
}

function openValue(path: string, code: number): OpenValue {
  return code === OPEN_LIST ? { path, at: `${path}[0]`, index: 0 } : { path, keys: new Set(), at: path, index: 0 };
}

/** Whether the object had the key before. */
function noteKey(object: OpenValue, key: string): boolean {
  const known = object.keys?.has(key) === true;
  object.keys?.add(key);
  object.at = (object.path === '' ? '' : `${object.path}.`) + key.slice(0, KEY_SHOWN_MAX);
  return known;
}

/** Source text of the member at a path of names in a JSON text that parses; undefined when there is none. Of equal names the last counts. */
export function sourceAt(json: string, path: readonly string[]): string | undefined {
  let at = afterSpace(json, 0);
  for (const name of path) {
    const member = memberAt(json, at, name);
    if (member === undefined) return undefined;
    at = member;
  }
  return json.slice(at, valueEnd(json, at));
}

/** Position of a member's value in the object at `start`. */
function memberAt(json: string, start: number, name: string): number | undefined {
  if (json.charCodeAt(start) !== OPEN_OBJECT) return undefined;
  let found: number | undefined;
  for (let at = afterSpace(json, start + 1); json.charCodeAt(at) === QUOTE;) {
    const keyEnd = stringEnd(json, at) + 1;
    const value = afterSpace(json, afterSpace(json, keyEnd) + 1);
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = value;
    const next = afterSpace(json, valueEnd(json, value));
    at = json.charCodeAt(next) === COMMA ? afterSpace(json, next + 1) : json.length;
  }
  return found;
}

function afterSpace(json: string, start: number): number {
  let at = start;
  while (at < json.length && ' \n\r\t'.includes(json.charAt(at))) at += 1;
  return at;
}

/** Position behind the value that begins at `start`. */
function valueEnd(json: string, start: number): number {
  if (json.charCodeAt(start) === QUOTE) return stringEnd(json, start) + 1;
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || ' \n\r\t'.includes(json.charAt(at)))) return at;
  }
  return json.length;
}
