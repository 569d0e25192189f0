// Tool-call arguments as they go back to a provider with the history. Many servers read them as a JSON object and refuse the whole conversation otherwise.
import type { JsonObject } from '@svc/shared/json';
import { parseJson } from './parse-json.ts';

/** Arguments from the model as a JSON object: its own, or one that holds the text it wrote instead. The error it was answered with follows in the history. */
export function argumentsObject(text: string): JsonObject {
  return readObject(text) ?? { unreadable_arguments: text };
}

/** The same as text; arguments that are an object stay exactly as written. */
export function argumentsText(text: string): string {
  return readObject(text) ? text : JSON.stringify(argumentsObject(text));
}

/** Arguments with too many values, or nested too deeply to be serialised again, count as unreadable. */
function readObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  try {
    JSON.stringify(value);
    return value as JsonObject | undefined;
  } catch {
    return undefined;
  }
}
