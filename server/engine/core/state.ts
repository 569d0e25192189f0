// Run state as folded from its journal. Only `applyEntry` changes it, in place: the folding code owns the object, so that a step costs the same in a run of any length.
import type { JsonObject } from '@svc/shared/json';
import type { ApprovalRule, ChatMessage, TokenLimit, ToolCallRequest } from '../ports.ts';
import type { ApprovalReason, ApprovalVerdict, CallApproval, CallTag, EndPhase, Failure, ReviewTag, ReviewVerdict } from './entries.ts';
import type { GraphPlan } from './graph-plan.ts';
import type { AgentSnapshot, RunSnapshot } from './snapshot.ts';

/** A message on its way to an agent. */
export interface Message {
  readonly id: string;
  /** Empty for the message that starts an entry agent. */
  readonly from: string;
  readonly to: string;
  readonly branchId: string;
  readonly depth: number;
  readonly content: string;
}

/** One tool call of the current step. `result` is the text that the model will receive. */
export interface CallState {
  readonly request: ToolCallRequest;
  readonly index: number;
  /** `awaiting`: an approval is open; `decided`: it was decided, but its effect is not recorded yet. */
  phase: 'new' | 'requested' | 'awaiting' | 'decided' | 'done';
  /** Input that is sent: the model's, or the reviewer's replacement. */
  input: JsonObject | undefined;
  /** The model's input, where a reviewer replaced it. */
  proposed: JsonObject | undefined;
  /** Empty until the call was sent or has an approval. */
  requestId: string;
  /** Time of the last sending; 0: never sent. */
  sentAt: number;
  /** It was sent by an earlier claim or try, and its outcome is unknown: it is judged again before it is sent again. */
  lost: boolean;
  /** How many approvals it has had. */
  asked: number;
  verdict: (ApprovalVerdict & { readonly reason: ApprovalReason }) | undefined;
  /** The approval it runs under. */
  approved: CallApproval | undefined;
  result: { readonly content: string; readonly ok: boolean } | undefined;
}

/** The step a turn is in. */
export interface StepState {
  readonly step: number;
  readonly agentStep: number;
  readonly requestId: string;
  /** Time of the model call. */
  requestedAt: number;
  /** As for a tool call: the model is called again only while it is allowed. */
  lost: boolean;
  tokenLimit: TokenLimit | undefined;
  /** The budget, where this step's answer went past it. */
  overspent: TokenLimit | undefined;
  phase: 'model_requested' | 'calling' | 'answered';
  content: string;
  finishReason: string;
  calls: CallState[];
  /** Calls without a result yet. */
  open: number;
}

export interface TurnState {
  readonly id: string;
  readonly agent: AgentSnapshot;
  readonly branchId: string;
  readonly depth: number;
  readonly inbox: readonly Message[];
  /** Failed sources of the join that released this turn, by agent. */
  readonly failedSources: readonly { readonly agent: string; readonly failure: Failure }[];
  /** `waiting`: until `nextAttemptAt`, then it starts again. `queued`: not started yet. */
  phase: 'queued' | 'active' | 'waiting';
  /** Try of the message, from 1; 0 before the first. */
  messageAttempt: number;
  nextAttemptAt: number;
  startedAt: number;
  /** Time of this try that was spent waiting for people: it does not count against the agent's timeout. */
  waitedMs: number;
  waitEndedAt: number;
  /** Set while a call or the output of this turn waits for a person. */
  awaitingSince: number | undefined;
  /** The breakpoint where it waits, or the last it passed. */
  stop?: StopState | undefined;
  /** The message a person put in place of the one it received. */
  input?: string | undefined;
  review: ReviewTrack;
  /** Model steps done when a reviewer last sent the work back: what was spent before does not count against `max_steps`. */
  stepsBefore: number;
  /** Labels chosen before the work was last sent back: they hold unless the new output says otherwise. */
  priorLabels: Readonly<Record<string, string>>;
  step: StepState | undefined;
  transcript: ChatMessage[];
  /** Outputs of calls that succeeded, by tool and canonical arguments. */
  succeededCalls: Map<string, string>;
  succeededTools: Set<string>;
  /** Output of the first call, in the order of the model's requests, that succeeded in the current step. */
  firstToolOutput: { readonly index: number; readonly output: string } | undefined;
  labels: Readonly<Record<string, string>>;
  /** The last text of the model, beside tool calls or not. */
  lastContent: string;
  /** The last text it gave as its answer, asking for no tool. */
  lastAnswer: string;
  /** Set by a recorded fact that ends this try: a failed model call, an unknown outcome, a violation. */
  failure: Failure | undefined;
  /** Set when the contract was found broken in `observe` mode: it is reported once. */
  violationSeen: boolean;
  warned: boolean;
}

/** A breakpoint that a turn has reached. */
export interface StopState {
  readonly place: 'before' | 'after';
  /** Message into the agent, or its output; after a continue, with the edit. */
  readonly value: string;
  readonly since: number;
  readonly expiresAt: number;
  readonly open: boolean;
}

export interface Arrival {
  readonly source: string;
  readonly branchId: string;
  readonly depth: number;
  readonly message: Message | undefined;
  readonly failure: Failure | undefined;
}

/** Messages that a join node has collected for its next activation. */
export interface JoinState {
  readonly node: string;
  arrivals: Map<string, Arrival>;
  /** Arrivals, in order, up to the last one whose wait is recorded. */
  announced: number;
  /** Second messages of the same source, kept for the activation after. */
  overflow: Arrival[];
  /** Sources still awaited when a quorum released the node: their messages are skipped. */
  late: Set<string>;
  /**
   * Turns in flight at the release and their successors, with messages that joins hold, for each late source that the node leads back to.
   * Messages of other turns are of the next round and not late. Absent where there are no such sources.
   */
  before?: Map<string, Set<string>> | undefined;
  lateMessages: Message[];
}

interface FatalState {
  /** The agent that failed; of a join, the source whose failure failed it. */
  readonly agent: string;
  readonly phase: EndPhase;
  readonly failure: Failure;
  readonly retryTask: boolean;
}

/** The last branch to end, by depth and branch: its output is the run's. */
export interface FinalOutput {
  readonly agent: string;
  readonly output: string;
  readonly depth: number;
  readonly branchId: string;
  /** The turn that gave it, kept where a reviewer may send it back. */
  readonly turn: TurnState | undefined;
}

/** One attempt of the Task. */
export interface AttemptState {
  readonly number: number;
  readonly snapshot: RunSnapshot;
  readonly plan: GraphPlan;
  steps: number;
  /** Children made so far, by branch. */
  children: Map<string, number>;
  roots: number;
  /** Parents of branches whose ids do not name them. Absent before the first. */
  parents?: Map<string, string> | undefined;
  /** Turns that are queued, active or waiting. */
  turns: Map<string, TurnState>;
  joins: Map<string, JoinState>;
  messages: number;
  final: FinalOutput | undefined;
  /** The furthest turn that completed: its output is that of the run when no branch reached its own end. */
  furthest: FinalOutput | undefined;
  fatal: FatalState | undefined;
  /** Review of the output of the whole task. */
  review: ReviewTrack;
  /** How often that output was sent back: messages made after it are others than those before. */
  round: number;
  /** Pinned outputs used so far, by agent. Absent before the first. */
  pinsUsed?: Readonly<Record<string, number>> | undefined;
}

/** The reviews of one output, from its first version to the one that is approved. */
export interface ReviewTrack {
  /** In flight, or answered while what follows is not recorded yet. */
  current: ReviewState | undefined;
  /** Number of reviews requested, in any cycle. */
  asked: number;
  /** Cycle of the last one that sent the work back; 0 when none has. */
  cycle: number;
  /** Its name. */
  last: string | undefined;
}

/** A TaskApproval of this run. */
export interface ReviewState {
  readonly name: string;
  readonly tag: ReviewTag;
  readonly output: string;
  readonly allowRequestChanges: boolean;
  readonly maxReviewCycles: number;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** False after the decision, or after the end of the call or turn that waited. */
  open: boolean;
  /** Absent when the work was sent back: it is in flight again then. */
  verdict: ReviewVerdict | undefined;
}

/** A ToolApproval of this run. */
export interface ApprovalState {
  readonly name: string;
  readonly call: CallTag;
  readonly reason: ApprovalReason;
  readonly input: JsonObject;
  readonly sentAt: number;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly askedBy: readonly ApprovalRule[];
  /** False after the decision, or after the end of the call or turn that waited. */
  open: boolean;
}

/** Request that the run begins nothing new. */
export interface PauseState {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

type RunStatus = 'new' | 'running' | 'retrying' | 'finished';

export interface RunState {
  status: RunStatus;
  attempt: AttemptState | undefined;
  attempts: number;
  startedAt: number;
  /** While `retrying`: when the next attempt may start. */
  nextAttemptAt: number;
  cancel: { readonly by: string; readonly reason: string } | undefined;
  /** Set from a pause until the run is resumed. */
  paused: PauseState | undefined;
  end:
    | {
        readonly phase: EndPhase | 'Succeeded';
        readonly at: number;
        readonly failure: Failure | undefined;
        readonly output: Readonly<Record<string, string>>;
      }
    | undefined;
  lastFailure: Failure | undefined;
  /** Every one that was requested, by name. */
  approvals: Map<string, ApprovalState>;
  /** Every one that was requested, by name. */
  reviews: Map<string, ReviewState>;
  /** Counted over the whole Task, attempts included. */
  tokensUsed: number;
  /** Tokens of answers, a part of `tokensUsed`. */
  outputTokens: number;
  /** US dollars, of the calls whose price is known; as `tokensUsed`. */
  costUsd: number;
  /** Calls that answered and whose price is not known. */
  unpricedCalls: number;
  toolCalls: number;
  lastEvent: string;
}

export function newRunState(): RunState {
  return {
    status: 'new',
    attempt: undefined,
    attempts: 0,
    startedAt: 0,
    nextAttemptAt: 0,
    cancel: undefined,
    paused: undefined,
    end: undefined,
    lastFailure: undefined,
    approvals: new Map(),
    reviews: new Map(),
    tokensUsed: 0,
    outputTokens: 0,
    costUsd: 0,
    unpricedCalls: 0,
    toolCalls: 0,
    lastEvent: '',
  };
}
