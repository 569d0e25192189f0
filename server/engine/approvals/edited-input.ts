// Reads the arguments a reviewer put in place of the model's.
import { isObject, type JsonObject } from '@svc/shared/json';
import { isTooDeep } from '../core/tool-calls.ts';

/** An object, or the JSON text of one; undefined for anything else, and for what is nested too deeply for a tool call. */
export function readInput(given: unknown): JsonObject | undefined {
  const value = typeof given === 'string' ? parsed(given) : given;
  return isObject(value) && !isTooDeep(value) ? (value as JsonObject) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
