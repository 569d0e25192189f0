// Request behind an approval, as the console's procedures return it.
import type { JsonObject } from '../json.ts';
import type { AccessRule } from './access.ts';

/** A call that waits for a person, exactly as its run would make it. */
export interface AskedToolCall {
  readonly agent: string;
  readonly request_id: string;
  /** `namespace/name`. */
  readonly task: string;
  readonly input: JsonObject;
  readonly operation?: string;
  readonly rule?: AccessRule;
  /** As it was when the run started, which may differ from the Tool of today. */
  readonly tool: { readonly namespace: string; readonly name: string; readonly spec: Readonly<Record<string, unknown>> };
}

export interface AskedApproval {
  /** `metadata.uid` of the approval this is about. */
  readonly uid: string;
  /** False: decided already, or created by hand; no run continues or ends by a decision on it. */
  readonly waits: boolean;
  /** The decision takes another person than the creators of the Task and the last writers of the rules that ask. */
  readonly needs_other?: boolean;
  /** Why the caller's own decision would be refused for that, one sentence. */
  readonly refused?: string;
  /** Only for a ToolApproval that a run waits for. */
  readonly call?: AskedToolCall;
}
