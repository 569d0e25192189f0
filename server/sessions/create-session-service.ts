// The service of conversations over the store: each change is one transaction.
import type { SessionControl, Turn } from '@svc/shared/api/sessions';
import { invalidFields, invariant, ServiceError } from '@svc/shared/errors';
import { parseRef } from '@svc/shared/resource';
import { requireRole } from '../registry/authorise.ts';
import type { RequestContext } from '../registry/registry.ts';
import { recordWritten } from '../registry/written.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { checkCheckpointCursor, checkpointOf, listCheckpoints, requireCheckpoint, type CheckpointOwner } from './checkpoints.ts';
import { endSession, hasActiveTurn, interruptTurn, pauseSession, refuseEnded, resumeSession, type RunOrder } from './control.ts';
import { changeSession, sessionKey, type SessionDraft, type SessionRef } from './draft.ts';
import { createEventReads, EVENTS_LIMIT_MAX, followSessionEvents, readSessionEvents } from './follow-events.ts';
import { listTurns, readTurn, sequenceOfKey, streamOf, type TurnRecord } from './records.ts';
import { diffCheckpoints } from './diff.ts';
import { replayCheckpoint } from './replay.ts';
import { forkSession } from './fork.ts';
import { rewindSession } from './rewind.ts';
import { watchIdle } from './timers.ts';
import { carryOut, type SessionDeps } from './run-orders.ts';
import type { PageRequest, SessionService, TurnSubmission } from './session-service.ts';
import { addTurn, checkKey, CONTENT_MAX_BYTES, sameSubmission } from './turns.ts';

const TURNS_LIMIT = 1_000;

export function createSessionService(deps: SessionDeps): SessionService {
  return { ...turnMethods(deps), ...checkpointMethods(deps) };
}

/** The Session, for a caller who may read it. */
async function find({ store }: SessionDeps, context: RequestContext, ref: SessionRef): Promise<StoredObject> {
  requireRole(context, 'reader', 'reading a Session');
  const found = await store.getObject(sessionKey(ref));
  if (!found) throw missing(ref);
  return found;
}

interface Change {
  /** For the audit log. */
  readonly action: SessionControl | 'rewind';
  readonly context: RequestContext;
  readonly ref: SessionRef;
  readonly work: (draft: SessionDraft) => Promise<readonly RunOrder[]>;
}

/** Changes the Session and what follows for its run, in one transaction. */
function change(deps: SessionDeps, { action, context, ref, work }: Change): Promise<void> {
  return transactAgain(deps.store, async (tx) => {
    const orders = await changeSession(tx, { ref, deps }, (draft) => {
      recordWritten(tx, { action: 'session.control', by: context, object: draft.object, details: { action } });
      return work(draft);
    });
    if (!orders) throw missing(ref);
    await carryOut(deps, tx, { orders, namespace: ref.namespace, by: context });
  });
}

type TurnMethods = Pick<SessionService, 'submit' | 'turns' | 'events' | 'follow' | 'control'>;

function turnMethods(deps: SessionDeps): TurnMethods {
  const { store } = deps;
  const reads = createEventReads(store);
  return {
    async submit(context, ref, submission) {
      requireRole(context, 'writer', 'submitting a turn');
      checkSubmission(submission);
      return transactAgain(store, async (tx) => {
        const result = await changeSession(tx, { ref, deps }, (draft) => submitTurn(deps, draft, { context, submission }));
        if (!result) throw missing(ref);
        const { turn, created, orders } = result;
        await carryOut(deps, tx, { orders, namespace: ref.namespace, by: context });
        return { turn: turnOf(ref, orders.length > 0 ? await latest(tx, ref, turn) : turn), created };
      });
    },
    async turns(context, ref, page) {
      const { uid } = await find(deps, context, ref);
      const limit = page.limit ?? TURNS_LIMIT;
      const turns = await listTurns(store, uid, { after: cursorOf(page), limit: limit + 1 });
      const items = turns.slice(0, limit).map((turn) => turnOf(ref, turn));
      return { items, ...(turns.length > limit && { continue: String(items.at(-1)?.queue_sequence) }) };
    },
    async events(context, ref, page) {
      const { uid } = await find(deps, context, ref);
      const after = cursorOf(page);
      await checkCursor(deps, uid, after);
      const { items, more } = await readSessionEvents(store, { ...ref, uid }, { after, limit: page.limit ?? EVENTS_LIMIT_MAX });
      return { items, ...(more && { continue: String(items.at(-1)?.seq) }) };
    },
    async follow(context, ref, options) {
      const { uid } = await find(deps, context, ref);
      await checkCursor(deps, uid, options.after);
      return followSessionEvents({ ...deps, reads }, { ...ref, uid }, options);
    },
    async control(context, ref, { control, reason = `on request of ${context.identity.name}` }) {
      requireRole(context, 'writer', `${control} of a Session`);
      await change(deps, { action: control, context, ref, work: (draft) => controlSession(deps, draft, { control, reason }) });
      return deps.registry().get(context, sessionKey(ref));
    },
  };
}

function checkpointMethods(deps: SessionDeps): Omit<SessionService, keyof TurnMethods> {
  const { store, clock } = deps;
  const required = (reader: StoreReader, session: CheckpointOwner, id: string) =>
    requireCheckpoint(reader, session, { id, now: clock.now() });
  return {
    async checkpoints(context, ref, { after = '', limit = Infinity }) {
      const session = await find(deps, context, ref);
      checkCheckpointCursor(after);
      const all = await listCheckpoints(store, session, clock.now());
      const rest = after === '' ? all : all.filter(({ id }) => id < after);
      const items = rest.slice(0, limit).map(checkpointOf);
      return { items, ...(rest.length > limit && { continue: String(items.at(-1)?.id) }) };
    },
    async checkpoint(context, { id, ...ref }) {
      return checkpointOf(await required(store, await find(deps, context, ref), id));
    },
    async replay(context, { id, ...ref }, page) {
      const session = await find(deps, context, ref);
      const checkpoint = await required(store, session, id);
      return replayCheckpoint(store, checkpoint, { ref: { ...ref, uid: session.uid }, after: cursorOf(page), limit: page.limit });
    },
    async diff(context, { id, ...ref }, { against, session }) {
      const left = await find(deps, context, ref);
      const right = session === undefined ? left : await find(deps, context, parseRef(session, ref.namespace));
      return diffCheckpoints(
        store,
        { session: left, checkpoint: await required(store, left, id) },
        { session: right, checkpoint: await required(store, right, against) },
      );
    },
    async rewind(context, { id, ...ref }, { interrupt = false, resume = false }) {
      requireRole(context, 'writer', 'rewinding a Session');
      let resumed = false;
      const work = async (draft: SessionDraft) => {
        resumed = resume && (interrupt || !(await hasActiveTurn(draft)));
        const orders = await rewindSession(draft, await required(draft.tx, draft.object, id));
        await watchIdle(draft);
        if (resumed) await resumeSession(deps, draft, 'rewound');
        return orders;
      };
      await change(deps, { action: 'rewind', context, ref, work });
      return { session: await deps.registry().get(context, sessionKey(ref)), checkpoint_id: id, resumed };
    },
    async fork(context, { id, ...ref }, request) {
      requireRole(context, 'writer', 'forking a Session');
      const { ref: fork, checkpointId } = await transactAgain(store, async (tx) => {
        const source = await tx.getObject(sessionKey(ref));
        if (!source) throw missing(ref);
        return forkSession(deps, tx, { context, source, checkpoint: await required(tx, source, id), request });
      });
      const session = await deps.registry().get(context, sessionKey(fork));
      const { metadata, spec } = session;
      const own = checkpointId === undefined ? undefined : await required(store, { ...metadata, spec }, checkpointId);
      return { session, checkpoint: own ? checkpointOf(own) : null, resumed: request.resume === true };
    },
  };
}

const missing = ({ namespace, name }: SessionRef) => new ServiceError('not_found', `Session ${namespace}/${name} does not exist`);

function checkSubmission({ content, idempotencyKey }: TurnSubmission): void {
  checkKey(idempotencyKey);
  if (content.trim() === '') throw invalidFields('The turn', [{ path: 'content', message: 'must not be empty' }]);
  const bytes = Buffer.byteLength(content);
  if (bytes > CONTENT_MAX_BYTES)
    throw new ServiceError('too_large', `The content of a turn may have ${CONTENT_MAX_BYTES} bytes; this one has ${bytes}`);
}

interface Submitting {
  readonly context: RequestContext;
  readonly submission: TurnSubmission;
}

async function submitTurn(deps: SessionDeps, draft: SessionDraft, { context, submission }: Submitting) {
  const { content, idempotencyKey: key, interrupt = false } = submission;
  const known = await sequenceOfKey(draft.tx, draft.object.uid, key);
  const before = known === undefined ? undefined : await draft.turn(known);
  if (before) return { turn: sameSubmission(before, content), created: false, orders: [] };
  refuseEnded(draft);
  const orders = interrupt ? await interruptTurn(draft) : [];
  if (draft.phase === 'Failed') draft.setStatus({ phase: 'WaitingInput', lastError: undefined });
  const place = interrupt ? 'next' : 'last';
  const { sequence } = await addTurn(deps, draft, { content, key, by: context.identity.name, place });
  const turn = await draft.turn(sequence);
  invariant(turn, 'a turn that was added is in the draft');
  return { turn, created: true, orders };
}

/** The end of the run that it interrupts may have started the turn. */
async function latest(tx: StoreTransaction, ref: SessionRef, turn: TurnRecord): Promise<TurnRecord> {
  const session = await tx.getObject(sessionKey(ref));
  return (session && (await readTurn(tx, session.uid, turn.sequence))) ?? turn;
}

async function controlSession(
  deps: SessionDeps,
  draft: SessionDraft,
  { control, reason }: { readonly control: SessionControl; readonly reason: string },
): Promise<readonly RunOrder[]> {
  switch (control) {
    case 'pause':
      return pauseSession(draft, reason);
    case 'resume':
      await resumeSession(deps, draft, reason);
      return [];
    case 'cancel':
    case 'complete':
      refuseEnded(draft);
      return endSession(draft, control === 'cancel' ? 'Cancelled' : 'Completed', reason);
  }
}

function cursorOf({ after }: PageRequest): number {
  if (after === undefined || after === '') return 0;
  if (!/^\d{1,15}$/.test(after)) throw new ServiceError('invalid', 'The cursor is a sequence number: a whole number from 0');
  return Number(after);
}

async function checkCursor({ store }: SessionDeps, uid: string, after: number): Promise<void> {
  if (after === 0) return;
  const head = await store.eventHead(streamOf(uid));
  if (after > head)
    throw new ServiceError('invalid', `The cursor ${after} lies beyond the newest event, which has the sequence number ${head}`);
}

function turnOf({ namespace, name }: SessionRef, turn: TurnRecord): Turn {
  const { id, sequence, content, phase, attempt, idempotencyKey, task, output, usage, lastError } = turn;
  return {
    id,
    session_name: name,
    namespace,
    queue_sequence: sequence,
    content,
    phase,
    attempt,
    idempotency_key: idempotencyKey,
    ...(task && { task_name: task.name }),
    ...(output !== undefined && { output: { last_output: output } }),
    ...(usage && { usage }),
    created_at: turn.createdAt,
    ...(turn.startedAt !== undefined && { started_at: turn.startedAt }),
    ...(turn.completedAt !== undefined && { completed_at: turn.completedAt }),
    ...(lastError !== undefined && { last_error: lastError }),
  };
}
