// Hash of an exact tool call, to which a decision is bound.
import { canonicalJson, type JsonObject } from './json.ts';

/** A tool call as it will run. */
export interface HashedCall {
  /** `namespace/name` of the Tool. */
  readonly tool: string;
  /** `namespace/name` of the Task. */
  readonly task: string;
  readonly request_id: string;
  readonly input: JsonObject;
}

/** The text that is hashed: canonical JSON (RFC 8785 key order). Its SHA-256, as `sha256:<hex>`, is the call's hash. */
export function hashedCallText({ tool, task, request_id, input }: HashedCall): string {
  return canonicalJson({ tool, task, request_id, input });
}
