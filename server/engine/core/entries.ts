// The journal's language: every fact a run may record. Entries are appended, never changed; all other records are views of them.
// Each carries what a reader needs to show it alone (attempt, agent, branch, step), so that views need no second bookkeeping.
import type { JsonObject } from '@svc/shared/json';
import type { CallOutcome } from '@svc/shared/kinds/tool-approval/outcomes';
import type { NewJournalEntry } from '../../store/store.ts';
import type { ApprovalRule, ProviderState, RuleRef, TokenLimit, TokenUsage, ToolCallRequest } from '../ports.ts';
import type { JoinPolicy, RunSnapshot } from './snapshot.ts';

/** A failure as recorded. `code` is one of CallErrorCode or one of the engine's own (docs/engine.md). */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly reason?: string;
  readonly retry_after_ms?: number;
}

/** Identifies one turn of an agent: one activation of a node, whose message may be tried several times. */
export interface TurnTag {
  readonly attempt: number;
  readonly turn_id: string;
  readonly agent: string;
  readonly branch_id: string;
}

/** One model step and the tool calls it requested. `step` counts over the attempt, `agent_step` within the turn; both from 1. */
export interface StepTag extends TurnTag {
  readonly step: number;
  readonly agent_step: number;
}

/** One tool call of a step. */
export interface CallTag extends StepTag {
  readonly index: number;
  readonly call_id: string;
  readonly tool: string;
  readonly request_id: string;
}

/** Why a call waits for a person: it was sent before its worker was lost, and its outcome is unknown; or a rule requires it before it is sent. */
export type ApprovalReason = 'unknown_outcome' | 'policy';

/** Decision on a ToolApproval. */
export interface ApprovalVerdict {
  /** The ToolApproval's name; it is in the Task's namespace. */
  readonly name: string;
  readonly decision: 'approved' | 'denied' | 'expired';
  /** Outcome that a person chose for an approved call of unknown outcome; `answered` for one that is not made. */
  readonly outcome?: CallOutcome;
  /** With `done` and `answered`: the result, as the model receives it. */
  readonly output?: string;
  /** The input the reviewer approved in place of the model's. */
  readonly edited_input?: JsonObject;
  /** Sequence number of the decision record. */
  readonly decision_record?: number;
  /** With an approved call that is yet to run: the hash it is bound to. */
  readonly call_hash?: string;
  readonly decided_by?: string;
  readonly on_behalf_of?: string;
  readonly comment?: string;
}

/** The approval a call runs under: the decision record it is bound to, and whether the reviewer changed its input. */
export interface CallApproval {
  readonly name: string;
  readonly decision_record: number;
  readonly call_hash: string;
  readonly edited: boolean;
}

/** One review point of a run: an agent's output before the run continues with it, or the output of the whole task before it succeeds. */
export interface ReviewTag extends TurnTag {
  readonly checkpoint_id: string;
  readonly checkpoint_type: 'agent_output' | 'task_output';
  /** From 1. */
  readonly review_cycle: number;
}

/** Decision on a TaskApproval. */
export interface ReviewVerdict {
  readonly name: string;
  readonly decision: 'approved' | 'denied' | 'request_changes' | 'expired';
  readonly decision_record?: number;
  readonly decided_by?: string;
  readonly on_behalf_of?: string;
  readonly comment?: string;
}

/** Fields that make the end of a call readable without its request. */
interface ToolFacts {
  /** Input that was sent. */
  readonly input?: JsonObject;
  /** The call as the model wrote it, when nothing was sent. */
  readonly arguments?: string;
  readonly auth?: ToolAuth;
  /** Effective facts of where it ran, read back from the engine that ran it. */
  readonly isolation?: JsonObject;
}

/** How a tool call was authenticated; the Secret by name only. */
export interface ToolAuth {
  readonly profile: string;
  readonly secret_ref: string;
}

/** A message handed from one agent to another (or to an entry agent); its content is stored once, in the entry that produced it. */
export interface HandOver {
  readonly message_id: string;
  readonly idempotency_key: string;
  readonly to_agent: string;
  readonly branch_id: string;
  readonly parent_branch_id?: string;
  /** Agent turns on the path to here, this one included. */
  readonly depth: number;
}

/** Consequence of a failed turn. `fatal` ends the attempt; `retry_task` may follow it with another one. */
export type Disposition =
  | { readonly kind: 'retry'; readonly next_attempt_at: number }
  | { readonly kind: 'handed_over'; readonly hand_overs: readonly HandOver[] }
  | { readonly kind: 'join'; readonly nodes: readonly string[] }
  | { readonly kind: 'fatal'; readonly phase: EndPhase; readonly retry_task: boolean };

export type EndPhase = 'Failed' | 'DeadLetter';

export interface JoinSource {
  readonly agent: string;
  readonly state: 'arrived' | 'failed' | 'pending' | 'left_out';
  readonly message_id?: string;
  readonly branch_id?: string;
}

interface EntryData {
  'run.claimed': {
    readonly worker: string;
    readonly fence: number;
    readonly takeover: boolean;
    /** On a takeover: the previous worker. */
    readonly from?: string;
    /** On a takeover: the process of that worker was known to have ended, so its lease did not have to expire. */
    readonly ended?: true;
    /** Takeovers since the run last made progress, where there were any. */
    readonly takeovers?: number;
    readonly attempt: number;
    /** Format of the journal from here on; absent: the first. */
    readonly format?: number;
  };
  'run.started': { readonly attempt: number; readonly snapshot: RunSnapshot; readonly hand_overs: readonly HandOver[] };
  /** State of another run that this run begins with, encoded by the state codec. */
  'run.restored': {
    readonly attempt: number;
    readonly checkpoint_id: string;
    readonly state: JsonObject;
    readonly state_hash: string;
  };
  'run.released': {
    readonly worker: string;
    readonly attempt: number;
    readonly cause: 'shutdown' | 'retry_wait' | 'approval_wait' | 'paused' | 'breakpoint';
    /** Absent when only a signal ends the wait. */
    readonly until?: number;
    /** ToolApprovals that are waited for. */
    readonly approvals?: readonly string[];
    /** TaskApprovals that are waited for. */
    readonly reviews?: readonly string[];
  };
  'agent.started': TurnTag & {
    readonly depth: number;
    readonly message_ids: readonly string[];
    readonly message_attempt: number;
    readonly worker: string;
  };
  'model.requested': StepTag & {
    readonly request_id: string;
    /** Message to the model before this step, from a contract or a reviewer. */
    readonly reminder?: string;
    /** The token budget in force at the time of the call. */
    readonly token_limit?: TokenLimit;
  };
  'model.completed': StepTag & {
    readonly request_id: string;
    readonly content: string;
    readonly tool_calls: readonly ToolCallRequest[];
    readonly usage: TokenUsage;
    readonly finish_reason: string;
    readonly model: string;
    readonly latency_ms: number;
    /** Absent when the price is not known. */
    readonly cost_usd?: number;
    /** About how the answer was obtained. */
    readonly notice?: string;
    /** As `ModelResponse.providerState`. Views leave it out. */
    readonly provider_state?: ProviderState;
  };
  'model.failed': StepTag & Failure & { readonly request_id: string; readonly latency_ms: number };
  'tool.requested': CallTag & {
    /** Input that is sent: the model's, or the reviewer's replacement. */
    readonly input: JsonObject;
    /** Rule that allowed the call. */
    readonly rule?: RuleRef;
    /** The approval it runs under. */
    readonly approved?: CallApproval;
  };
  'tool.completed': CallTag &
    ToolFacts & {
      /** `person`: a person reported that the call was done, or answered in its place. */
      readonly source: 'tool' | 'cache' | 'route' | 'person';
      readonly output: string;
      readonly latency_ms: number;
      readonly attempts?: number;
      readonly contract_version?: string;
      /** Cost of a model call that the tool made for its result, with its model; absent where it made none. */
      readonly usage?: TokenUsage;
      readonly model?: string;
      /** Absent when the price is not known. */
      readonly cost_usd?: number;
      /** Set by `route.choose`. */
      readonly labels?: Readonly<Record<string, string>>;
    };
  'tool.failed': CallTag &
    ToolFacts &
    Failure & {
      readonly latency_ms: number;
      readonly attempts?: number;
      /** Rule that denied the call. */
      readonly rule?: RuleRef;
    };
  /** A call of an earlier claim or try that has no result is sent again with its request id: governance was evaluated again and allowed it. */
  'call.resent': StepTag & {
    readonly request_id: string;
    /** Index of a tool call; absent for the model call of the step. */
    readonly index?: number;
    readonly tool?: string;
    /** Rule that allowed the call. */
    readonly rule?: RuleRef;
    readonly token_limit?: TokenLimit;
  };
  'approval.requested': CallTag & {
    readonly name: string;
    readonly reason: ApprovalReason;
    readonly input: JsonObject;
    /** When the call was sent, in milliseconds since the epoch; absent where it was not. */
    readonly sent_at?: number;
    /** Milliseconds since the epoch, by the clock that people and timers read. */
    readonly expires_at: number;
    /** Moment of the request by that clock; absent where it is the entry's own. */
    readonly asked_at?: number;
    /** With reason `policy`: the rule that requires the approval, the operation class, and the rule's text for the reviewer. */
    readonly rule?: RuleRef;
    readonly operation?: string;
    readonly why?: string;
    /** Every rule that requires the approval, including `rule`. */
    readonly asked_by?: readonly ApprovalRule[];
  };
  'approval.resolved': CallTag & ApprovalVerdict & { readonly reason: ApprovalReason };
  /** Governance ends the turn outside a tool call: a model that is not allowed, a budget that is used up. */
  'turn.refused': TurnTag & Failure & { readonly rule: RuleRef; readonly tokens_used?: number; readonly token_limit?: number };
  'review.requested': ReviewTag & {
    /** The TaskApproval's name; it is in the Task's namespace. */
    readonly name: string;
    readonly why: string;
    /** Frozen output under review; the run continues with it when it is approved. */
    readonly output: string;
    readonly allow_request_changes: boolean;
    readonly max_review_cycles: number;
    /** Name of the review before. */
    readonly supersedes?: string;
    /** Milliseconds since the epoch, by the clock that people and timers read. */
    readonly expires_at: number;
    /** Moment of the request by that clock; absent where it is the entry's own. */
    readonly asked_at?: number;
  };
  'review.resolved': ReviewTag & ReviewVerdict;
  'contract.nudged': StepTag & { readonly message: string };
  'contract.violated': StepTag & { readonly mode: 'observe' | 'non_retryable_error'; readonly message: string };
  'contract.warned': StepTag & { readonly message: string };
  'agent.completed': TurnTag & {
    readonly output: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly hand_overs: readonly HandOver[];
    /** True when max_turns ended the branch here, before a route that leads on. */
    readonly turns_exhausted?: boolean;
    /** True when the output holds a route that is not alone on its last line, and so sets no labels. */
    readonly route_ignored?: boolean;
    /** The output replaced the turn: from this earlier Task, or from the trial. */
    readonly pinned?: { readonly task?: string };
  };
  /** The turn waits at a breakpoint of a trial. */
  'breakpoint.reached': TurnTag & {
    readonly place: 'before' | 'after';
    /** The message into the agent, or its output. */
    readonly value: string;
    /** Milliseconds since the epoch, by the clock that people and timers read. */
    readonly expires_at: number;
  };
  'breakpoint.resolved': TurnTag & {
    readonly place: 'before' | 'after';
    readonly decision: 'continued' | 'ended' | 'expired';
    readonly by?: string;
    readonly reason?: string;
    /** The text a person put in place of the one that waited. */
    readonly value?: string;
  };
  'agent.failed': TurnTag & Failure & { readonly message_attempt: number; readonly disposition: Disposition };
  'message.skipped': { readonly attempt: number; readonly message_id: string; readonly node: string; readonly reason: string };
  /** A message has arrived at a join that has to wait for others. */
  'join.waiting': {
    readonly attempt: number;
    readonly node: string;
    readonly branch_id: string;
    /** The agent whose message arrived. */
    readonly source: string;
    readonly message_id: string;
    readonly arrived: number;
    readonly expected: number;
    readonly quorum_required: number;
    /** Sources that may still arrive, up to JOIN_NAMES_MAX of them. */
    readonly waits_for: readonly string[];
  };
  'join.released': TurnTag & {
    readonly node: string;
    readonly mode: JoinPolicy['mode'];
    readonly depth: number;
    readonly expected: number;
    readonly quorum_required: number;
    readonly sources: readonly JoinSource[];
    readonly message_ids: readonly string[];
    /** The source whose message made the join complete. */
    readonly activated_by: string;
  };
  'join.skipped': { readonly attempt: number; readonly node: string; readonly sources: readonly JoinSource[] };
  'join.failed': Failure & { readonly attempt: number; readonly node: string; readonly retry_task: boolean };
  'cancel.requested': { readonly by: string; readonly reason: string };
  /** Nothing new is begun until the run is resumed. */
  'run.paused': { readonly by: string; readonly reason: string };
  'run.resumed': { readonly by: string };
  'run.retry_scheduled': Failure & { readonly attempt: number; readonly next_attempt_at: number };
  'run.completed': { readonly attempt: number; readonly output: Readonly<Record<string, string>> };
  'run.failed': Failure & {
    readonly attempt: number;
    /** On a run that was given up as poisoned: the worker that lost it last. */
    readonly lost_by?: string;
    readonly phase: EndPhase;
    readonly output: Readonly<Record<string, string>>;
  };
}

export type EntryType = keyof EntryData;

export const ENTRY_TYPES: Readonly<Record<EntryType, true>> = {
  'run.claimed': true,
  'run.started': true,
  'run.restored': true,
  'run.released': true,
  'agent.started': true,
  'model.requested': true,
  'model.completed': true,
  'model.failed': true,
  'tool.requested': true,
  'tool.completed': true,
  'tool.failed': true,
  'call.resent': true,
  'approval.requested': true,
  'approval.resolved': true,
  'turn.refused': true,
  'review.requested': true,
  'review.resolved': true,
  'contract.nudged': true,
  'contract.violated': true,
  'contract.warned': true,
  'agent.completed': true,
  'breakpoint.reached': true,
  'breakpoint.resolved': true,
  'agent.failed': true,
  'message.skipped': true,
  'join.waiting': true,
  'join.released': true,
  'join.skipped': true,
  'join.failed': true,
  'cancel.requested': true,
  'run.paused': true,
  'run.resumed': true,
  'run.retry_scheduled': true,
  'run.completed': true,
  'run.failed': true,
};

/** Journals of this format and older ones are understood. A version that changes the meaning of entries raises it, and records it in its `run.claimed`. */
export const JOURNAL_FORMAT = 3;
/** Written for runs that use nothing newer, so that an older program continues them. Trials need the newest. */
export const COMMON_JOURNAL_FORMAT = 2;

/** False for what only a newer version can have written: folding on without it would go wrong. */
export function isSupportedEntry({ type, data }: Entry): boolean {
  if (!Object.hasOwn(ENTRY_TYPES, type)) return false;
  const { format = JOURNAL_FORMAT } = data as { readonly format?: number };
  return type !== 'run.claimed' || format <= JOURNAL_FORMAT;
}

/** An entry before it has its place: what `decide` proposes and `applyEntry` folds. `at` is milliseconds since the epoch. */
export type Entry = { [T in EntryType]: { readonly type: T; readonly at: number; readonly data: EntryData[T] } }[EntryType];
export type EntryOf<T extends EntryType> = Extract<Entry, { type: T }>;
export type DataOf<T extends EntryType> = EntryData[T];

export function toJournal(entry: Entry): NewJournalEntry {
  return {
    type: entry.type,
    timestamp: new Date(entry.at).toISOString(),
    data: entry.data as unknown as Readonly<Record<string, unknown>>,
  };
}

/** Reads an entry that `toJournal` wrote; nothing else writes the journal. */
export function fromJournal(entry: NewJournalEntry): Entry {
  return { type: entry.type, at: Date.parse(entry.timestamp), data: entry.data } as unknown as Entry;
}
