// Conversations as the API shows them: turns and events of a Session.

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
  /** The answer; of a turn that succeeded. */
  readonly output?: string;
  readonly usage?: SessionUsage;
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly last_error?: string;
}

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

/** `step.completed`: the model asked and every tool answered; `agent.completed`; `turn.completed`: the answer of the turn stands. */
export const SAFE_POINTS = ['step.completed', 'agent.completed', 'turn.completed'] as const;
export type SafePoint = (typeof SAFE_POINTS)[number];

/** A place to go back to, or to branch from. Never holds the state itself. */
export interface Checkpoint {
  readonly id: string;
  readonly turn_id: string;
  readonly task_name: string;
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
