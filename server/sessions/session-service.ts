// Service interface of conversations for REST and other surfaces. Every method rejects with ServiceError.
import type {
  Checkpoint,
  CheckpointDiff,
  CheckpointReplay,
  ForkedSession,
  ForkRequest,
  RewoundSession,
  SessionControl,
  SessionEvent,
  SessionPage,
  SubmittedTurn,
  Turn,
} from '@svc/shared/api/sessions';
import type { Resource } from '@svc/shared/resource';
import type { RequestContext } from '../registry/registry.ts';
import type { TakeTurn } from '../registry/watch/watch.ts';
import type { SessionRef } from './draft.ts';

export interface TurnSubmission {
  readonly content: string;
  /** The current turn is cancelled, and this one runs next. */
  readonly interrupt?: boolean;
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey: string;
}

export interface PageRequest {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface EventsPage {
  readonly items: readonly SessionEvent[];
  /** True when more events are stored. */
  readonly more: boolean;
}

export interface FollowOptions {
  /** Sequence number to continue after. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Runs the reads of a reader that is behind, for readers that may not read their requested events. Absent: reads run at once. */
  readonly takeTurn?: TakeTurn;
}

interface CheckpointRef extends SessionRef {
  readonly id: string;
}

export interface DiffRequest {
  /** The other checkpoint. */
  readonly against: string;
  /** Its Session, `name` or `namespace/name`. Absent: the same one. */
  readonly session?: string | undefined;
}

interface RewindRequest {
  /** With `resume`: the active turn is replaced, and execution continues. */
  readonly interrupt?: boolean | undefined;
  /** Execution continues at once, but not in place of an active turn: that needs `interrupt` too, without which the Session is paused. */
  readonly resume?: boolean | undefined;
}

interface ControlRequest {
  readonly control: SessionControl;
  readonly reason?: string | undefined;
}

export interface SessionService {
  submit(context: RequestContext, session: SessionRef, submission: TurnSubmission): Promise<SubmittedTurn>;
  turns(context: RequestContext, session: SessionRef, page: PageRequest): Promise<SessionPage<Turn>>;
  events(context: RequestContext, session: SessionRef, page: PageRequest): Promise<SessionPage<SessionEvent>>;
  /** Pages of events after a sequence number, the stored ones first. `invalid` for one beyond the newest event. */
  follow(context: RequestContext, session: SessionRef, options: FollowOptions): Promise<AsyncIterable<EventsPage>>;
  /** Newest first. */
  checkpoints(context: RequestContext, session: SessionRef, page: PageRequest): Promise<SessionPage<Checkpoint>>;
  checkpoint(context: RequestContext, checkpoint: CheckpointRef): Promise<Checkpoint>;
  /** Folds the journal up to the checkpoint and compares hashes; a page of the events up to it. */
  replay(context: RequestContext, checkpoint: CheckpointRef, page: PageRequest): Promise<CheckpointReplay>;
  /** From what is recorded. `conflict` for a checkpoint whose state does not verify. */
  diff(context: RequestContext, checkpoint: CheckpointRef, request: DiffRequest): Promise<CheckpointDiff>;
  rewind(context: RequestContext, checkpoint: CheckpointRef, request: RewindRequest): Promise<RewoundSession>;
  fork(context: RequestContext, checkpoint: CheckpointRef, request: ForkRequest): Promise<ForkedSession>;
  control(context: RequestContext, session: SessionRef, request: ControlRequest): Promise<Resource>;
}
