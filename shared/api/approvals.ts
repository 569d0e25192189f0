// Request behind an approval, as the console's procedures return it.
import type { JsonObject } from '../json.ts';
import type { AccessRule } from './access.ts';

/** A call that waits for a person, exactly as its run would make it. */
export interface RequestedCall {
  readonly agent: string;
  readonly request_id: string;
  /** `namespace/name`. */
  readonly task: string;
  readonly input: JsonObject;
  /** True for a call that was sent before: its input cannot be edited. */
  readonly sent?: boolean;
  readonly operation?: string;
  readonly rule?: AccessRule;
  /** As it was when the run started, which may differ from the current Tool. */
  readonly tool: { readonly namespace: string; readonly name: string; readonly spec: Readonly<Record<string, unknown>> };
}

/** One argument of a command line. */
export interface PlanArgument {
  /** As the Tool has it. */
  readonly template: string;
  /** With the input filled in; absent where `problem` says why not. */
  readonly text?: string;
  readonly problem?: string;
}

/** Plan of a call, from the code that makes the call. Secrets appear by name only. */
export interface CallPlan {
  /** `spec.type` of the Tool. */
  readonly type: string;
  /** A program that is started without a shell; `binary` is absent where the image's own command runs. */
  readonly command?: { readonly binary?: string; readonly args: readonly PlanArgument[]; readonly stdin: 'none' | 'input' | 'request' };
  /** An HTTP request; its headers by name. */
  readonly request?: { readonly method: string; readonly url: string; readonly headers: readonly string[] };
  /** Further settings in force, each with a term that people read. */
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly secrets: readonly {
    /** The variable or header that carries the value. */
    readonly carrier: string;
    /** `name` or `namespace/name` of the Secret. */
    readonly secret: string;
    readonly key?: string;
  }[];
  readonly isolation: { readonly mode: string; readonly network: string };
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  /** Reasons why the call fails before anything happens. */
  readonly problems: readonly string[];
}

export interface ApprovalRequest {
  /** `metadata.uid` of the approval this is about. */
  readonly uid: string;
  /** False: decided already, or created by hand; no run continues or ends by a decision on it. */
  readonly waits: boolean;
  /** The decision takes another person than the creators of the Task and the last writers of the rules that ask. */
  readonly needs_other?: boolean;
  /** Why the caller's own decision would be refused for that, one sentence. */
  readonly refused?: string;
  /** Only for a ToolApproval that a run waits for. */
  readonly call?: RequestedCall;
  /** Plan with the run's tool, else with the current Tool. Absent without a Tool and without an input that is an object. */
  readonly plan?: CallPlan;
}
