// The answer of an authorization check, as REST and the console's procedures give it.

/** A rule that was examined: an object and the place in it, or a default of the server. */
export interface AccessRule {
  /** `AgentPolicy`, `ToolPermission`, `AgentRole`, `Agent`, or `default`. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Such as `spec.operation_rules[1]`. */
  readonly path?: string;
}

export interface AccessFinding {
  readonly rule: AccessRule;
  /** `allow`, `deny`, `approval_required`, or `none` for what was examined and left the verdict as it was. */
  readonly effect: string;
  readonly message: string;
}

export interface AccessVerdict {
  readonly verdict: 'allow' | 'deny' | 'approval_required';
  readonly reason: string;
  readonly message: string;
  readonly rule: AccessRule;
  readonly findings: readonly AccessFinding[];
  /** With `deny`. */
  readonly code?: string;
  /** With `approval_required`. */
  readonly approval?: {
    readonly ttl: string;
    readonly reason: string;
    readonly operation_class: string;
    /** The decision takes another person than the creators of the Task and the last writers of the rules that ask. */
    readonly needs_other?: boolean;
  };
}

export interface AccessCheckAnswer extends AccessVerdict {
  /** `namespace/name`. */
  readonly agent: string;
  readonly tool: string;
  readonly token_limit?: { readonly tokens: number; readonly rule: AccessRule };
  /** The verdict on the model the agent would ask; no part of the verdict on the call. */
  readonly model?: AccessVerdict & { readonly endpoint: string; readonly model: string };
}

/** Reason that calls of a Tool fail as it is configured, before any rule is judged. */
export interface ToolProblem {
  readonly code: string;
  readonly message: string;
  /** The problem may pass by itself, such as a container engine that does not answer. */
  readonly passing: boolean;
}
