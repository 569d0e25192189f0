// Reads the arguments a reviewer put in place of the model's.
import { isObject, type JsonObject } from '@svc/shared/json';
import { isTooDeep, parseArguments } from '../core/tool-calls.ts';

/** An object, or the JSON text of one; undefined for anything else, and for what is nested too deeply for a tool call. */
export function readInput(given: unknown): JsonObject | undefined {
  // No text is no input, although a model may leave out arguments.
  const value = typeof given === 'string' ? given.trim() !== '' && parseArguments(given) : given;
  return isObject(value) && !isTooDeep(value) ? (value as JsonObject) : undefined;
}
