// Submits, starts and ends turns of a Session, one at a time in durable order, within the caller's transaction.
import { ServiceError } from '@svc/shared/errors';
import { turnsForMessage } from '@svc/shared/graph/graph';
import { specOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { API_VERSION, parseRef } from '@svc/shared/resource';
import { DOOR_LABEL } from '@svc/shared/run-origin';
import { timestamp } from '../clock.ts';
import type { Failure } from '../engine/core/entries.ts';
import type { RunEnded } from '../engine/run-listeners.ts';
import { creatorsOf, partIdentity } from '../registry/principal.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { Bindings } from './bindings.ts';
import { addCheckpoint, type SafeState } from './checkpoints.ts';
import type { DraftDeps, SessionDraft } from './draft.ts';
import { approvalEnds } from './project.ts';
import { isOver, newTurnId, putKey, queuedTurns, type QueuePlace, type TurnExtras, type TurnRecord } from './records.ts';

export interface TurnDeps extends DraftDeps {
  /** Read when a turn starts: the registry is made after the parts that it calls. */
  readonly registry: () => Registry;
  readonly bindings: Bindings;
}

export const CONTENT_MAX_BYTES = 256 * 1024;
const KEY = /^[!-~]{1,255}$/;
const QUEUED_MAX = 1_000;
/** `Retry-After` for a full queue. */
const QUEUE_RETRY_SECONDS = 5;

const CONTEXT: RequestContext = { identity: partIdentity('sessions'), requestId: 'sessions' };

export interface Submission {
  readonly content: string;
  readonly key: string;
  readonly by: string;
  readonly place: QueuePlace;
  readonly extras?: ((sequence: number) => TurnExtras) | undefined;
}

/** Throws `invalid` for a value that is not an Idempotency-Key. */
export function checkKey(key: string): void {
  if (KEY.test(key)) return;
  throw new ServiceError(
    'invalid',
    `The header Idempotency-Key ${key === '' ? 'is required' : 'has another form'}: 1 to 255 visible ASCII characters without spaces, a new one for each message`,
  );
}

/** Adds a turn behind those that wait, or before them, and starts the next one where nothing runs. Throws `conflict` and `rate_limited`. */
export async function addTurn(deps: TurnDeps, draft: SessionDraft, submission: Submission): Promise<TurnRecord> {
  const { content, key, by, place, extras } = submission;
  const { completedTurns: completed = 0 } = draft.status;
  const { queued } = draft.control;
  const { max_turns: max } = draft.spec;
  const { name } = draft.object;
  const active = max > 0 ? await draft.activeTurn() : undefined;
  // A cancelled or failed turn is active until its run has ended, and counts no more.
  const running = active && !isOver(active) ? 1 : 0;
  if (max > 0 && completed + running + queued >= max)
    throw new ServiceError(
      'conflict',
      `Session ${name} takes at most ${max} turns (spec.max_turns): ${completed} completed, ${running} running, ${queued} queued`,
    );
  if (queued >= QUEUED_MAX)
    throw new ServiceError('rate_limited', `Session ${name} has ${queued} turns waiting, as many as it may have; send this one later`, {
      retryAfterSeconds: QUEUE_RETRY_SECONDS,
    });
  const sequence = draft.control.turns + 1;
  draft.control = { ...draft.control, turns: sequence };
  const turn = draft.setTurn({
    id: newTurnId(draft.now),
    sequence,
    content,
    phase: 'Queued',
    attempt: 0,
    idempotencyKey: key,
    createdBy: by,
    ...(extras && { extras: extras(sequence) }),
    createdAt: timestamp(draft.now),
  });
  await putKey(draft.tx, draft.object.uid, turn);
  draft.emit('message.created', { role: 'user', content }, { turn, message: 'user' });
  draft.emit('turn.queued', { queue_sequence: sequence }, { turn });
  const waits = draft.control.active !== undefined || draft.phase === 'Paused';
  // The usual turn of a Session that does nothing takes no place in the queue.
  if (!waits && queued === 0) await start(deps, draft, turn);
  else {
    await draft.enqueue({ sequence, place });
    if (!waits) await startNext(deps, draft);
  }
  return turn;
}

/** Starts the next waiting turn, if there is one and no run is active. The caller has seen to it that the Session may run. */
export async function startNext(deps: TurnDeps, draft: SessionDraft): Promise<void> {
  const { tx, object } = draft;
  while (draft.control.active === undefined) {
    const [next] = await queuedTurns(tx, object.uid, 1);
    if (!next) return;
    await draft.dequeue(next.id);
    const turn = await draft.turn(next.sequence);
    if (!turn || turn.phase !== 'Queued') continue;
    if (!(await start(deps, draft, turn))) return;
  }
}

/** False when the turn failed instead. */
function start(deps: TurnDeps, draft: SessionDraft, turn: TurnRecord): Promise<boolean> {
  draft.control = { ...draft.control, active: turn.sequence };
  draft.setStatus({ activeTurnID: turn.id });
  return createTask(deps, draft, turn);
}

/** False when the turn failed instead: the agent system is gone, or the Task was refused. */
async function createTask(deps: TurnDeps, draft: SessionDraft, turn: TurnRecord): Promise<boolean> {
  const { tx, object, spec } = draft;
  const { namespace, name } = object;
  const system = { kind: 'AgentSystem', ...parseRef(spec.system, namespace) };
  const stored = await tx.getObject(system);
  if (!stored) {
    failTurn(draft, turn, { message: `AgentSystem ${system.namespace}/${system.name} does not exist` });
    return false;
  }
  const body = {
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: {
      name: taskName(name, turn),
      labels: {
        ...turn.extras?.labels,
        'svc.dev/session': name,
        'svc.dev/turn': turn.id,
        'svc.dev/created-by': 'session',
        ...(draft.control.chat && { [DOOR_LABEL]: 'chat' }),
      },
      ...(turn.extras && { annotations: turn.extras.annotations }),
    },
    spec: {
      system: spec.system,
      input: { ...spec.input, message: turn.content, session_id: name, turn_id: turn.id, ...turn.extras?.input },
      ...turnsForMessage(specOf('AgentSystem', stored)),
    },
  };
  const alsoBy = [...new Set([turn.createdBy, ...creatorsOf(object)])];
  try {
    const { resource } = await deps.registry().within(tx).post(CONTEXT, { kind: 'Task', body, namespace, ifNoneMatch: '*', alsoBy });
    const task = { name: resource.metadata.name, uid: resource.metadata.uid };
    draft.setTurn({ ...turn, task, parent: draft.control.head });
    await deps.bindings.put(tx, task.uid, { namespace, name, uid: object.uid, sequence: turn.sequence });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error;
    failTurn(draft, turn, error);
    return false;
  }
}

const NAME_PART_MAX = 30;

/** `session-<up to 30 characters of the name>-<16 hex digits of the turn>`: its last ones, which hold no time. */
function taskName(session: string, { id }: TurnRecord): string {
  return `session-${session.slice(0, NAME_PART_MAX).replace(/[^A-Za-z0-9]+$/, '')}-${id.slice(-16)}`;
}

/** Fails the turn. The Session stays open for a new turn, a rewind or a resume. */
export function failTurn(
  draft: SessionDraft,
  turn: TurnRecord,
  { message: error, code }: Pick<Failure, 'message'> & Partial<Failure>,
): void {
  const failed = draft.setTurn({ ...turn, phase: 'Failed', lastError: error, completedAt: timestamp(draft.now) });
  draft.control = withoutActive(draft.control);
  draft.setStatus({ phase: 'Failed', lastError: error, activeTurnID: undefined, claimedBy: undefined });
  draft.emit('turn.failed', { error, ...(code !== undefined && { code }) }, { turn: failed });
}

export function withoutActive({ active: _ended, ...rest }: SessionDraft['control']): SessionDraft['control'] {
  return rest;
}

/** Cancels the turn, because it was interrupted or its Session ended. Its run may continue until it reads the cancel signal. */
export function cancelTurn(draft: SessionDraft, turn: TurnRecord, reason: string): TurnRecord {
  const cancelled = draft.setTurn({ ...turn, phase: 'Cancelled', completedAt: timestamp(draft.now) });
  draft.emit('turn.cancelled', { reason }, { turn: cancelled });
  return cancelled;
}

/** Cancels the current turn: its approvals expire, and the text of its answer is withdrawn with `reset` as the reason. */
export async function withdrawTurn(
  draft: SessionDraft,
  turn: TurnRecord,
  { reset, reason }: { readonly reset: string | undefined; readonly reason: string },
): Promise<void> {
  await expireApprovals(draft, turn);
  if (reset !== undefined) draft.emit('message.reset', { reason: reset }, { turn });
  cancelTurn(draft, turn, reason);
}

async function expireApprovals(draft: SessionDraft, turn: TurnRecord): Promise<void> {
  for (const { type, payload } of await approvalEnds(draft.tx, turn)) draft.emit(type, payload, { turn });
}

/** How the run of a turn ended; with its state where it is known, for the last checkpoint. */
export interface TurnEnd {
  readonly turn: TurnRecord;
  readonly ended: Pick<RunEnded, 'how' | 'failure' | 'output' | 'usage'>;
  readonly safe?: SafeState | undefined;
  /** Why the model ended its answer. */
  readonly finishReason?: string | undefined;
}

/** Ends the active turn after its run, and starts the next queued turn. */
export async function endTurn(deps: TurnDeps, draft: SessionDraft, end: TurnEnd): Promise<void> {
  const { turn, ended } = end;
  draft.control = withoutActive(draft.control);
  draft.setStatus({ activeTurnID: undefined, claimedBy: undefined });
  if (isOver(turn)) return goOn(deps, draft);
  if (ended.how === 'succeeded') {
    await succeed(draft, end);
    return goOn(deps, draft);
  }
  await expireApprovals(draft, turn);
  if (ended.how === 'cancelled' || ended.how === 'deleted') {
    cancelTurn(draft, turn, ended.how === 'deleted' ? 'its Task was deleted' : (ended.failure?.message ?? 'cancelled'));
    return goOn(deps, draft);
  }
  failTurn(draft, turn, ended.failure ?? { message: 'the run failed' });
}

async function succeed(draft: SessionDraft, { turn, ended, safe, finishReason }: TurnEnd): Promise<void> {
  const { inputTokens: input_tokens, outputTokens: output_tokens } = ended.usage;
  const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  const content = runOutput(ended.output).answer ?? '';
  const done = draft.setTurn({ ...turn, phase: 'Succeeded', output: content, usage, completedAt: timestamp(draft.now) });
  const completed = (draft.status.completedTurns ?? 0) + 1;
  draft.control = { ...draft.control, head: turn.sequence };
  draft.setStatus({ completedTurns: completed, lastError: undefined });
  draft.emit(
    'message.completed',
    {
      role: 'assistant',
      content,
      ...(safe && safe.agent !== '' && { agent: safe.agent }),
      usage,
      ...(finishReason !== undefined && { finish_reason: finishReason }),
    },
    { turn: done },
  );
  const { notes = [] } = safe ?? {};
  draft.emit('turn.completed', { usage, ...(notes.length > 0 && { notes }) }, { turn: done });
  if (safe) await addCheckpoint(draft, done, safe);
  const { max_turns: max } = draft.spec;
  if (max === 0 || completed < max || draft.control.queued > 0) return;
  draft.setStatus({ phase: 'Completed', completedAt: timestamp(draft.now) });
  draft.emit('session.completed', { reason: 'max_turns_reached' });
}

/** After a turn: a Session that is paused or has ended stays so. */
async function goOn(deps: TurnDeps, draft: SessionDraft): Promise<void> {
  if (draft.phase !== 'Running' && draft.phase !== 'WaitingApproval' && draft.phase !== 'WaitingInput') return;
  draft.setStatus({ phase: 'WaitingInput' });
  if (draft.control.queued > 0) await startNext(deps, draft);
}

/** Answers equal submissions with the turn there is; throws `conflict` for another content under the same key. */
export function sameSubmission(turn: TurnRecord, content: string): TurnRecord {
  if (turn.content === content) return turn;
  throw new ServiceError(
    'conflict',
    `Idempotency-Key ${turn.idempotencyKey} was used for another message; send this one under a key of its own`,
  );
}
