// Snapshot that a run freezes when it starts: every definition it uses, in the form the rules read. Specs only, never a Secret's value.
import { specOf } from '@svc/shared/kinds/read';
import type { ToolSpec } from '@svc/shared/kinds/tool/normalize';
import type { Failure } from './entries.ts';
import type { RunOrigin } from '@svc/shared/run-origin';
import type { ModelEndpointRef } from '../ports.ts';

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoffMs: number;
}

type Jitter = 'none' | 'full' | 'equal';

export interface MessageRetryPolicy extends RetryPolicy {
  readonly maxBackoffMs: number;
  readonly jitter: Jitter;
  /** Error codes that end a message at once. */
  readonly nonRetryable: readonly string[];
  /** True when the Task says nothing of its own here: a failed message is then retried by the next attempt of the Task, from one budget. */
  readonly inherited: boolean;
}

/** Text of an earlier turn, or the system text that the conversation began with. */
export interface ConversationMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Earlier messages by reference: they are stored once, never change, and are read when a model is called. */
export interface ConversationRef {
  /** Newest turn of the conversation, in the numbering of the part that keeps it. */
  readonly upTo: number;
  /** Turns and other messages, counted from the newest. */
  readonly parts: number;
  /** Lower-case hex of the SHA-256 of the messages. */
  readonly sha256: string;
  /** Earlier messages that the agents do not see, and the reason, in words for the trace. */
  readonly leftOut?: string;
}

/** A recorded output, with the labels that routes read; absent labels are read from the output. */
export interface PinnedOutput {
  readonly output: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Outputs that replace one agent, turn by turn. */
export interface Pin {
  readonly outputs: readonly PinnedOutput[];
  /** The last one applies to every further turn. */
  readonly repeats: boolean;
  /** The earlier Task it comes from. */
  readonly task?: string;
}

export interface RecordedInput {
  readonly messages: readonly { readonly from: string; readonly content: string }[];
  readonly failedSources: readonly { readonly agent: string; readonly failure: Failure }[];
}

/** `spec.trial`, with what it takes from earlier runs. */
export interface TrialSnapshot {
  readonly waitMs: number;
  readonly breakpoints: readonly { readonly node: string; readonly at: 'before' | 'after' }[];
  readonly pins: Readonly<Record<string, Pin>>;
  /** Messages for the only agent of the run. */
  readonly received?: RecordedInput;
}

export interface TaskSnapshot {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** Principals by name; absent where it is not known who created the Task. */
  readonly creators?: readonly string[];
  /** Absent in journals of an older version. */
  readonly origin?: RunOrigin;
  readonly input: Readonly<Record<string, string>>;
  /** Key of the one value of `input` that agents see, unchanged. Absent: they see all of it. */
  readonly shownInput?: string;
  readonly trial?: TrialSnapshot;
  /** Entry agents see these messages before their input. Absent for a run that continues no conversation. */
  readonly conversation?: ConversationRef;
  /** 0: no bound. */
  readonly maxTurns: number;
  readonly retry: RetryPolicy;
  readonly messageRetry: MessageRetryPolicy;
}

export interface AgentSnapshot {
  readonly name: string;
  readonly prompt: string;
  /** Key into `RunSnapshot.models`. */
  readonly model: string;
  /** Keys into `RunSnapshot.tools`, as the agent names them to the model. */
  readonly tools: readonly string[];
  /** AgentRoles it is bound to; what they grant is read at each call. */
  readonly roles: readonly string[];
  /** Tools it may call past roles and permissions. */
  readonly allowedTools: readonly string[];
  readonly maxSteps: number;
  /** 0: none. */
  readonly timeoutMs: number;
  readonly profile: 'dynamic' | 'contract';
  readonly toolSequence: readonly string[];
  readonly outputMarkers: readonly string[];
  readonly duplicateToolCalls: 'short_circuit' | 'deny';
  readonly onContractViolation: 'observe' | 'non_retryable_error';
  readonly toolUse: 'run_llm_again' | 'stop_on_first_tool';
}

export type RouteCondition =
  | { readonly kind: 'success' }
  | { readonly kind: 'always' }
  | { readonly kind: 'on_error' }
  | { readonly kind: 'output_matches'; readonly pattern: string };

export interface Route {
  readonly to: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly condition: RouteCondition;
}

export interface JoinPolicy {
  readonly mode: 'wait_for_all' | 'quorum';
  readonly quorumCount: number;
  readonly quorumPercent: number;
  readonly onFailure: 'deadletter' | 'skip' | 'continue_partial';
}

/** Point where a person reviews an output before the run continues. */
export interface ReviewPoint {
  readonly checkpointId: string;
  readonly reason: string;
  readonly ttlMs: number;
  readonly allowRequestChanges: boolean;
  readonly maxReviewCycles: number;
}

export interface NodeSnapshot {
  readonly routes: readonly Route[];
  readonly review?: ReviewPoint;
  /** Absent when the node declares none. */
  readonly join?: JoinPolicy;
}

export interface SystemSnapshot {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** Principal of the last change of its spec; absent where it is not known. */
  readonly specBy?: string;
  /** Where a run begins. */
  readonly entrypoints: readonly string[];
  readonly nodes: Readonly<Record<string, NodeSnapshot>>;
  readonly completionReview?: ReviewPoint;
}

export interface ToolSnapshot {
  readonly namespace: string;
  readonly name: string;
  /** As in SystemSnapshot. */
  readonly specBy?: string;
  readonly spec: ToolSpec;
}

export interface RunSnapshot {
  readonly task: TaskSnapshot;
  readonly system: SystemSnapshot;
  readonly agents: Readonly<Record<string, AgentSnapshot>>;
  readonly models: Readonly<Record<string, ModelEndpointRef>>;
  readonly tools: Readonly<Record<string, ToolSnapshot>>;
}

/** The snapshot of a journal in the types of this version: an older one may have written fewer fields. */
export function readSnapshot(snapshot: RunSnapshot): RunSnapshot {
  return {
    ...snapshot,
    agents: mapped(snapshot.agents, (agent) => ({ ...LATER_AGENT_FIELDS, ...agent })),
    models: mapped(snapshot.models, (model) => ({ ...model, spec: specOf('ModelEndpoint', model) })),
    tools: mapped(snapshot.tools, (tool) => ({ ...tool, spec: specOf('Tool', tool) })),
  };
}

const LATER_AGENT_FIELDS: Pick<AgentSnapshot, 'roles' | 'allowedTools'> = { roles: [], allowedTools: [] };

function mapped<Value>(values: Readonly<Record<string, Value>>, read: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, read(value)]));
}
