// Reads the arguments a reviewer put in place of the model's.
import { isDeeperThan, isObject, type JsonObject } from '@svc/shared/json';
import { ARGUMENTS_DEPTH_MAX } from '../core/limits.ts';
import { parseArguments } from '../core/tool-calls.ts';

/** An object, or the JSON text of one; undefined for anything else, and for what is nested too deeply for a tool call. */
export function readInput(given: unknown): JsonObject | undefined {
  // An empty text is not an input, although a model may leave out arguments.
  const value = typeof given === 'string' ? given.trim() !== '' && parseArguments(given) : given;
  return isObject(value) && !isDeeperThan(value, ARGUMENTS_DEPTH_MAX) ? (value as JsonObject) : undefined;
}
