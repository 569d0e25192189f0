// Runs that messages start: a turn of the Session that is the context, or a Task of its own for ids that clients choose.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '@svc/shared/errors';
import { turnsForMessage } from '@svc/shared/graph/graph';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { SESSION_TERMINAL_PHASES } from '@svc/shared/kinds/session/schema';
import { API_VERSION } from '@svc/shared/resource';
import { DOOR_LABEL } from '@svc/shared/run-origin';
import type { RequestContext } from '../../registry/registry.ts';
import { changeSession, hasEnded, sessionKey, type SessionDraft } from '../../sessions/draft.ts';
import type { SessionDeps } from '../../sessions/run-orders.ts';
import { sequenceOfKey, sessionControls, streamOf, type TurnExtras } from '../../sessions/records.ts';
import { addTurn, CONTENT_MAX_BYTES } from '../../sessions/turns.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';
import { racing, transactAgain } from '../../store/write-race.ts';
import type { Message } from '../model.ts';
import { RpcError } from '../rpc/errors.ts';
import { addRecord, digest, keyOfTurnTask, ownerOf, readRecord, taskKey, turnKey, turnTaskId, type TaskRecord } from './records.ts';
import type { AgentCall, ClientTaskRequest, SendRequest, SentTask } from './task-service.ts';

export const DOOR = 'a2a';
const CALLER = 'svc.dev/a2a-caller';
const CONTEXT_ID = 'svc.dev/a2a-context';

/** The caller may invoke the system, which was judged before; what it starts is written on its behalf. */
const invoking = ({ context }: AgentCall): RequestContext => ({
  ...context,
  identity: { ...context.identity, name: callerName(context), role: 'writer' },
});

export const callerName = ({ identity }: RequestContext): string => (identity.name === '' ? 'anonymous' : identity.name);

/** Input of a run for a message (docs/a2a.md). */
function inputOf({ parts, messageId }: Message, { id, contextId }: { readonly id: string; readonly contextId: string }) {
  const data = parts.flatMap((part): unknown[] => {
    if (part.kind === 'data') return [part.data];
    if (part.kind === 'text') return [];
    const { kind: _kind, metadata: _metadata, ...file } = part;
    return [{ file }];
  });
  return {
    ...(data.length > 0 && { a2a_data: JSON.stringify(data) }),
    a2a_message_id: messageId,
    a2a_context_id: contextId,
    a2a_task_id: id,
  };
}

/** The text of a message; its data if there is no text. */
function contentOf({ parts }: Message): string {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  if (text.trim() === '') {
    const data = JSON.stringify(parts.map((part) => (part.kind === 'data' ? part.data : describePart(part))));
    return Buffer.byteLength(data) > CONTENT_MAX_BYTES ? 'The message is the data in a2a_data.' : data;
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > CONTENT_MAX_BYTES)
    throw new RpcError('INVALID_PARAMS', `The text of a message may have ${CONTENT_MAX_BYTES} bytes; this one has ${bytes}`);
  return text;
}

/** Bytes of files are not part of the text. */
function describePart(part: Message['parts'][number]): unknown {
  if (part.kind !== 'file') return part.kind === 'text' ? part.text : part.data;
  const { name, mediaType, uri } = part;
  return { file: { name, mediaType, uri } };
}

const refOf = ({ namespace, name, uid }: StoredObject) => ({ namespace, name, uid });

const annotationsOf = (context: RequestContext, contextId: string) => ({
  [CALLER]: callerName(context),
  ...(/\p{Cc}/u.test(contextId) ? {} : { [CONTEXT_ID]: contextId }),
});

// ---------------------------------------------------------------- turns

/** Starts a turn in the context of the message, which a message without one opens; a repeated message of the context has its first task. */
export function startTurn(deps: SessionDeps, call: AgentCall, { message, metadata, attached }: SendRequest): Promise<SentTask> {
  const { context, system } = call;
  const owner = ownerOf(context.identity);
  const contextId = message.contextId ?? randomUUID();
  const name = `a2a-${digest([owner, system.uid, contextId])}`;
  const content = contentOf(message);
  const ref = { namespace: system.namespace, name };
  return transactAgain(deps.store, async (tx) => {
    const session = await openContext(deps, tx, { call, name, contextId });
    const head = await tx.eventHead(streamOf(session.uid));
    const key = `a2a-${digest([message.messageId])}`;
    const sent = await changeSession(tx, { ref, uid: session.uid, deps }, async (draft) => {
      const known = await sequenceOfKey(tx, session.uid, key);
      const before = known === undefined ? undefined : await readRecord(tx, turnKey(session.uid, known));
      if (before && isRepeated(before, message)) return { record: before, eventsAfter: 0 };
      continueContext(draft);
      const idOf = (sequence: number) => turnTaskId(session.uid, sequence);
      const extras = (sequence: number): TurnExtras => ({
        input: inputOf(message, { id: idOf(sequence), contextId }),
        labels: { [DOOR_LABEL]: DOOR },
        annotations: annotationsOf(context, contextId),
      });
      const by = callerName(context);
      const { sequence } = await addTurn(deps, draft, { content, key, by, place: 'last', extras });
      const id = idOf(sequence);
      const record: TaskRecord = {
        id,
        owner,
        system: refOf(system),
        contextId,
        run: { kind: 'turn', session: { ...ref, uid: session.uid }, sequence },
        messages: [{ ...message, contextId, taskId: id }],
        ...(metadata && { metadata }),
        changedAt: deps.clock.now(),
      };
      await addRecord(tx, record);
      return { record, eventsAfter: head };
    });
    if (!sent) throw new ServiceError('conflict', 'The context was deleted; start a new one');
    await attached?.write(tx, sent.record);
    return { ...sent, unchanged: false };
  });
}

/** Whether the task has the message already. Clients that count their messages use an id again for another message, which is a new one. */
export const isRepeated = ({ messages }: TaskRecord, { messageId, parts }: Message): boolean =>
  messages.some((known) => known.messageId === messageId && isDeepStrictEqual(known.parts, parts));

interface Context {
  readonly call: AgentCall;
  readonly name: string;
  readonly contextId: string;
}

async function openContext(deps: SessionDeps, tx: StoreTransaction, { call, name, contextId }: Context): Promise<{ readonly uid: string }> {
  const { context, system } = call;
  const { namespace } = system;
  const known = await tx.getObject(sessionKey({ namespace, name }));
  if (known) {
    if ((await sessionControls.get(tx, known.uid))?.a2a === true) return known;
    throw new RpcError('UNSUPPORTED_OPERATION', 'This context cannot be continued; start a new one');
  }
  const body = {
    apiVersion: API_VERSION,
    kind: 'Session',
    metadata: { name, labels: { 'svc.dev/created-by': DOOR }, annotations: annotationsOf(context, contextId) },
    spec: { system: system.name },
  };
  const { resource } = await racing(
    deps.registry().within(tx).post(invoking(call), { kind: 'Session', body, namespace, ifNoneMatch: '*' }),
  );
  const { uid } = resource.metadata;
  await changeSession(tx, { ref: { namespace, name }, uid, deps }, (draft) => {
    draft.control = { ...draft.control, a2a: true };
    return Promise.resolve();
  });
  return { uid };
}

function continueContext(draft: SessionDraft): void {
  if (hasEnded(draft.phase)) throw new RpcError('UNSUPPORTED_OPERATION', `This context has ended (${draft.phase}); start a new one`);
  if (draft.phase === 'Failed') draft.setStatus({ phase: 'WaitingInput', lastError: undefined });
}

/** Ended contexts, for their retention. Labels can be changed by anybody, so the control record decides. */
export const A2A_CONTEXTS = {
  kind: 'Session',
  labels: [{ key: 'svc.dev/created-by', op: 'eq', value: DOOR }],
  phases: SESSION_TERMINAL_PHASES,
  completedAt: (session: StoredObject) => statusOf('Session', session).completedAt,
  isNeeded: async (reader: StoreReader, { uid }: StoredObject) => (await sessionControls.get(reader, uid))?.a2a !== true,
} as const;

// ---------------------------------------------------------------- Tasks

/** Starts the Task of an id that the client chose, or answers with the one that the same request started before. */
export function startClientTask(deps: SessionDeps, call: AgentCall, request: ClientTaskRequest): Promise<SentTask> {
  const { context, system } = call;
  const { id, message, metadata, fingerprint } = request;
  const name = clientTaskName(call, id);
  const { namespace } = system;
  const content = contentOf(message);
  return transactAgain(deps.store, async (tx) => {
    const known = await findOwnTask(tx, call, id);
    if (known) {
      if (hasMessage(known, request)) return { record: known, unchanged: false, eventsAfter: 0 };
      throw new RpcError('INVALID_PARAMS', 'This task id was used for another message; choose a new one', { task_id: id });
    }
    const contextId = randomUUID();
    const body = {
      apiVersion: API_VERSION,
      kind: 'Task',
      metadata: {
        name,
        labels: { 'svc.dev/created-by': DOOR, [DOOR_LABEL]: DOOR },
        annotations: annotationsOf(context, contextId),
      },
      spec: {
        system: system.name,
        input: { message: content, ...inputOf(message, { id, contextId }) },
        ...turnsForMessage(specOf('AgentSystem', system)),
      },
    };
    const { resource } = await racing(deps.registry().within(tx).post(invoking(call), { kind: 'Task', body, namespace, ifNoneMatch: '*' }));
    const record: TaskRecord = {
      id,
      owner: ownerOf(context.identity),
      system: refOf(system),
      contextId,
      run: { kind: 'task', task: { namespace, name, uid: resource.metadata.uid } },
      messages: [{ ...message, contextId, taskId: id }],
      fingerprint,
      ...(metadata && { metadata }),
      changedAt: deps.clock.now(),
    };
    await addRecord(tx, record);
    return { record, unchanged: false, eventsAfter: 0 };
  });
}

/** Whether the message started the task or joined it. A turn has no hash of its first message, so the parts are compared. */
export const hasMessage = ({ fingerprint, joined = [], messages }: TaskRecord, asked: ClientTaskRequest): boolean =>
  fingerprint === asked.fingerprint ||
  joined.includes(asked.fingerprint) ||
  (fingerprint === undefined && messages.some(({ parts }) => isDeepStrictEqual(parts, asked.message.parts)));

const clientTaskName = ({ context, system }: AgentCall, id: string): string => `a2a-${digest([ownerOf(context.identity), system.uid, id])}`;

/** Task of this caller with this system: a turn, or a task whose id the client chose, even in the form of a turn's id. */
export async function findOwnTask(reader: StoreReader, call: AgentCall, id: string): Promise<TaskRecord | undefined> {
  const key = keyOfTurnTask(id);
  const turn = key === undefined ? undefined : await readRecord(reader, key);
  if (turn?.owner === ownerOf(call.context.identity) && turn.system.uid === call.system.uid) return turn;
  const task = await reader.getObject({ kind: 'Task', namespace: call.system.namespace, name: clientTaskName(call, id) });
  return task && readRecord(reader, taskKey(task.uid));
}
