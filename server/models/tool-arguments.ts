// Tool-call arguments as they go back to a provider with the history. Many servers read them as a JSON object and refuse the whole conversation otherwise.
import { isObject, type JsonObject } from '@svc/shared/json';

/** Arguments from the model as a JSON object: its own, or one that holds the text it wrote instead. The error it was answered with follows in the history. */
export function argumentsObject(text: string): JsonObject {
  return readObject(text) ?? { unreadable_arguments: text };
}

/** The same as text; arguments that are an object stay exactly as written. */
export function argumentsText(text: string): string {
  return readObject(text) ? text : JSON.stringify(argumentsObject(text));
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    // Arguments nested too deeply to be serialised again count as unreadable.
    JSON.stringify(value);
    return value as JsonObject;
  } catch {
    return undefined;
  }
}
