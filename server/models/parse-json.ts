// JSON from outside, read without throwing.
import { readJsonObject } from '@svc/shared/json';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';

/** The text as a JSON object, or undefined when it is anything else or holds more values than `valuesMax`: parsing such a text would hold the event loop. Each level is a value. */
export function parseJson(text: string, valuesMax: number = JSON_VALUES_MAX): Record<string, unknown> | undefined {
  if (passedLimit(text, { values: valuesMax, depth: Infinity }) !== undefined) return undefined;
  return readJsonObject(text);
}
