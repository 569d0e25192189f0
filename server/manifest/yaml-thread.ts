// Program of the threads that parse YAML (server/checks/thread.mjs). Answers with JSON text, which costs the event loop less than a tree.
import { ServiceError, type ErrorCode, type FieldError } from '@svc/shared/errors';
import { refuseOversize } from './parse.ts';
import { parseYamlDocuments } from './yaml.ts';

export type YamlResult =
  | { readonly json: string }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: readonly FieldError[] | undefined } };

export function answer(text: string): YamlResult {
  try {
    const json = JSON.stringify(parseYamlDocuments(text));
    refuseOversize(json);
    return { json };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    return { error: { code, message, details } };
  }
}
