// Conversations as the API shows them: turns and events of a Session.
import type { Resource } from '../resource.ts';

export const TURN_PHASES = ['Queued', 'Running', 'WaitingApproval', 'Succeeded', 'Failed', 'Cancelled'] as const;
export type TurnPhase = (typeof TURN_PHASES)[number];

export interface SessionUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
}

/** One message of a person and what the agent system made of it. Times are RFC 3339 UTC. */
export interface Turn {
  readonly id: string;
  readonly session_name: string;
  readonly namespace: string;
  /** From 1, in the order of submission. */
  readonly queue_sequence: number;
  readonly content: string;
  readonly phase: TurnPhase;
  /** How often a worker has begun or continued it; 0 before the first. */
  readonly attempt: number;
  readonly idempotency_key: string;
  /** The Task that runs it; absent until it starts. */
  readonly task_name?: string;
  /** The answer; of a turn that succeeded. Its Task's `status.output` has the rest. */
  readonly output?: { readonly last_output: string };
  readonly usage?: SessionUsage;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly last_error?: string;
}

export interface SubmittedTurn {
  readonly turn: Turn;
  /** False when the key was used before for the same content: the turn is that one. */
  readonly created: boolean;
}

export interface SessionPage<Item> {
  readonly items: readonly Item[];
  readonly continue?: string;
}

export type SessionControl = 'pause' | 'resume' | 'cancel' | 'complete';

export const SESSION_EVENT_TYPES = [
  'session.created',
  'session.paused',
  'session.resumed',
  'session.cancelled',
  'session.completed',
  'session.expired',
  'session.recovered',
  'session.rewound',
  'session.forked',
  'turn.queued',
  'turn.started',
  'turn.retrying',
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'message.created',
  'message.delta',
  'message.reset',
  'message.completed',
  'approval.requested',
  'approval.resolved',
  'tool.started',
  'tool.completed',
  'checkpoint.created',
  'checkpoint.pruned',
  'error',
] as const;
export type SessionEventType = (typeof SESSION_EVENT_TYPES)[number];

/** `seq` begins at 1 and has no gaps within a Session. The payload depends on the type (docs/sessions.md). */
export interface SessionEvent {
  readonly seq: number;
  readonly type: SessionEventType;
  readonly session_name: string;
  readonly namespace: string;
  readonly turn_id?: string;
  readonly message_id?: string;
  readonly attempt?: number;
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** `step.completed`: the model asked and every tool answered; `agent.completed`; `turn.completed`: the answer of the turn is final. */
export const SAFE_POINTS = ['step.completed', 'agent.completed', 'turn.completed'] as const;
export type SafePoint = (typeof SAFE_POINTS)[number];

/** A place to go back to, or to branch from. Never holds the state itself. */
export interface Checkpoint {
  readonly id: string;
  readonly turn_id: string;
  /** The Task that ran the turn; absent for the checkpoint that a fork begins with. */
  readonly task_name?: string;
  readonly agent: string;
  readonly safe_point: SafePoint;
  /** Sequence number of its own `checkpoint.created`. */
  readonly event_sequence: number;
  readonly parent_checkpoint_id?: string;
  readonly state_version: number;
  /** Lower-case hex of the SHA-256 of the canonical state. */
  readonly state_hash: string;
  readonly state_bytes: number;
  /** Generation of the AgentSystem when the Session was created. */
  readonly system_generation?: number;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface RewoundSession {
  readonly session: Resource;
  readonly checkpoint_id: string;
  readonly resumed: boolean;
}

/** One value for every agent, or values by agent. */
type ForkOverride = string | Readonly<Record<string, string>> | undefined;

export interface ForkRequest {
  readonly name: string;
  /** Absent: that of the Session. */
  readonly namespace?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly overrides?: { readonly model?: ForkOverride; readonly prompt?: ForkOverride } | undefined;
}

export interface ForkedSession {
  readonly session: Resource;
  /** Null when the retention of the Session keeps none. */
  readonly checkpoint: Checkpoint | null;
  readonly resumed: boolean;
}

/** Recorded events up to a checkpoint, read again: no model and no tool is called. */
export interface CheckpointReplay {
  /** The state that is folded from the journal has the hash that was stored. */
  readonly verified: boolean;
  readonly state_hash: string;
  readonly events: readonly SessionEvent[];
  /** Cursor of the events that follow; absent when these are all of them. */
  readonly continue?: string;
  readonly model_calls: 0;
  readonly tool_calls: 0;
}

/** Two lists that begin with the same items. Long lists keep the items next to the place where they part. */
export interface Aligned<Item> {
  /** The newest of the items that both have. */
  readonly shared: readonly Item[];
  readonly left: readonly Item[];
  readonly right: readonly Item[];
  /** Parts of which items were left out, for their number or size. */
  readonly cut: { readonly shared: boolean; readonly left: boolean; readonly right: boolean };
}

export interface ComparedMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Absent for a message of a chat request. */
  readonly turn_id?: string;
  /** The content was cut. */
  readonly truncated?: boolean;
}

export interface ComparedToolCall {
  readonly turn_id: string;
  readonly tool: string;
  readonly agent: string;
  /** Absent when it is large, or was not an object. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The input is large. */
  readonly truncated?: boolean;
  readonly ok: boolean;
  /** Lower-case hex of the SHA-256 of the result that the model received. */
  readonly result_hash: string;
}

/** An agent of one run, as the run found it. */
export interface ComparedAgent {
  readonly model: string;
  readonly prompt: string;
}

/** Values of two checkpoints; absent on the side that has none. */
export interface Difference<Value> {
  readonly agent: string;
  readonly left?: Value;
  readonly right?: Value;
}

export interface CompleteList<Item> {
  readonly items: readonly Item[];
  /** False: items were left out for their number or size. */
  readonly complete: boolean;
}

export interface ComparedCheckpoint {
  readonly namespace: string;
  readonly session: string;
  readonly checkpoint: Checkpoint;
  /** The folded state has the stored hash; others are not compared. */
  readonly verified: true;
  /** Overrides of the Session as they are now. */
  readonly overrides?: {
    readonly model?: Readonly<Record<string, string>> | undefined;
    readonly prompt?: Readonly<Record<string, string>> | undefined;
  };
}

/** Differences of two checkpoints, from what is recorded: no model and no tool is called. */
export interface CheckpointDiff {
  readonly left: ComparedCheckpoint;
  readonly right: ComparedCheckpoint;
  readonly messages: Aligned<ComparedMessage>;
  /** Tool calls in the turns that differ. */
  readonly tool_calls: Aligned<ComparedToolCall> & {
    /** False: not every call of these turns is compared. Their runs are no longer stored, or are too many. */
    readonly complete: boolean;
  };
  /** Last outputs of agents in the turn of the checkpoint, where they differ. */
  readonly outputs: CompleteList<Difference<string>>;
  /** Models and prompts of agents in the turn of the checkpoint, where they differ. */
  readonly agents: CompleteList<Difference<ComparedAgent>>;
  /** Tokens of the turns that differ. */
  readonly usage: { readonly left: SessionUsage; readonly right: SessionUsage };
}
