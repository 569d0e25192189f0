// JSON from outside, read without throwing.
import { isObject } from '@svc/shared/json';

/** The text as a JSON object, or undefined when it is anything else. */
export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
