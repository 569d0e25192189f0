// Service interface of conversations for REST and other surfaces. Every method rejects with ServiceError.
import type { Checkpoint, CheckpointReplay, SessionEvent, Turn } from '@svc/shared/api/sessions';
import type { Resource } from '@svc/shared/resource';
import type { RequestContext } from '../registry/registry.ts';
import type { SessionRef } from './draft.ts';

export interface TurnSubmission {
  readonly content: string;
  /** The turn under way is cancelled, and this one runs next. */
  readonly interrupt?: boolean;
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey: string;
}

export interface SubmittedTurn {
  readonly turn: Turn;
  /** False when the key was used before for the same content: the turn is that one. */
  readonly created: boolean;
}

export interface PageRequest {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SessionPage<Item> {
  readonly items: readonly Item[];
  readonly continue?: string;
}

export interface CheckpointRef extends SessionRef {
  readonly id: string;
}

export interface RewindRequest {
  /** With `resume`: the turn under way is replaced, and execution continues. */
  readonly interrupt?: boolean | undefined;
  readonly resume?: boolean | undefined;
}

export interface Rewound {
  readonly session: Resource;
  readonly checkpoint_id: string;
  readonly resumed: boolean;
}

export interface ForkRequest {
  readonly name: string;
  /** Absent: that of the Session. */
  readonly namespace?: string | undefined;
  readonly resume?: boolean | undefined;
  /** One value for every agent, or values by agent. */
  readonly overrides?: ForkOverrides | undefined;
}

export interface ForkOverrides {
  readonly model?: string | Readonly<Record<string, string>> | undefined;
  readonly prompt?: string | Readonly<Record<string, string>> | undefined;
}

export interface ForkedSession {
  readonly session: Resource;
  /** Null when the retention of the Session keeps none. */
  readonly checkpoint: Checkpoint | null;
  readonly resumed: boolean;
}

export type SessionControl = 'pause' | 'resume' | 'cancel' | 'complete';

export interface ControlRequest {
  readonly control: SessionControl;
  readonly reason?: string | undefined;
}

export interface SessionService {
  submit(context: RequestContext, session: SessionRef, submission: TurnSubmission): Promise<SubmittedTurn>;
  turns(context: RequestContext, session: SessionRef, page: PageRequest): Promise<SessionPage<Turn>>;
  events(context: RequestContext, session: SessionRef, page: PageRequest): Promise<SessionPage<SessionEvent>>;
  /** Batches of events after a sequence number, the stored ones first. `invalid` for one beyond the newest event. */
  follow(
    context: RequestContext,
    session: SessionRef,
    options: { readonly after: number; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<readonly SessionEvent[]>>;
  /** Newest first. */
  checkpoints(context: RequestContext, session: SessionRef): Promise<{ readonly items: readonly Checkpoint[] }>;
  checkpoint(context: RequestContext, checkpoint: CheckpointRef): Promise<Checkpoint>;
  /** Folds the journal up to the checkpoint and compares hashes; a page of the events up to it. */
  replay(context: RequestContext, checkpoint: CheckpointRef, page: PageRequest): Promise<CheckpointReplay>;
  rewind(context: RequestContext, checkpoint: CheckpointRef, request: RewindRequest): Promise<Rewound>;
  fork(context: RequestContext, checkpoint: CheckpointRef, request: ForkRequest): Promise<ForkedSession>;
  control(context: RequestContext, session: SessionRef, request: ControlRequest): Promise<Resource>;
}
