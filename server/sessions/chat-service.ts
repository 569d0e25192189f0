// One chat request as a Session of one turn, whose conversation is what the request brings along.
import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { SESSION_TERMINAL_PHASES } from '@svc/shared/kinds/session/schema';
import { API_VERSION } from '@svc/shared/resource';
import { jsonEquals } from '@svc/shared/json';
import type { SessionEvent } from '@svc/shared/api/sessions';
import { CONVERSATION_MAX_BYTES, CONVERSATION_MESSAGES_MAX } from '../engine/core/limits.ts';
import type { ConversationMessage } from '../engine/core/snapshot.ts';
import { requireRole } from '../registry/authorise.ts';
import type { RequestContext } from '../registry/registry.ts';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { CommitWatch } from '../store/commit-watch.ts';
import { racing, transactAgain } from '../store/write-race.ts';
import { endSession } from './control.ts';
import { changeSession, hasEnded, sessionKey, type SessionRef } from './draft.ts';
import { createEventReads, followSessionEvents, type SessionStream } from './follow-events.ts';
import { carryOut, type SessionDeps } from './run-orders.ts';
import type { EventsPage } from './session-service.ts';
import { putChat, readChat, sessionControls } from './records.ts';
import { addTurn, checkKey, CONTENT_MAX_BYTES } from './turns.ts';

export interface ChatRequest {
  /** The AgentSystem. */
  readonly system: SessionRef;
  /** Messages before the last one. */
  readonly history: readonly ConversationMessage[];
  readonly content: string;
  /** The same key answers with the same chat; it is the caller's own. */
  readonly key: string | undefined;
}

export interface StartedChat {
  readonly session: SessionStream;
  /** Seconds since the epoch: the same for all requests with one key. */
  readonly created: number;
  /** No agent that answers has tools, those of a memory included: its text is the answer from the first piece on. */
  readonly answersAtOnce: boolean;
  /** It has a key: other requests may wait for its answer, now or later. */
  readonly isShared: boolean;
}

export interface ChatService {
  /** Throws `not_found` for an unknown system, `conflict` for a key that was used with other messages. */
  start(context: RequestContext, request: ChatRequest): Promise<StartedChat>;
  /** Pages of events of the chat from its first one on, as they come. Requests of approvals that are decided by now, and pauses that are over, are left out. */
  follow(chat: StartedChat, signal: AbortSignal): AsyncIterable<EventsPage>;
  /** Cancels a chat whose client went away, unless it is shared. Does nothing to a chat that has ended. */
  abandon(context: RequestContext, chat: StartedChat): Promise<void>;
}

const NAME_BYTES = 12;

export function createChatService(deps: SessionDeps): ChatService {
  const { store } = deps;
  const reads = createEventReads(store);
  return {
    async start(context, request) {
      requireRole(context, 'writer', 'a chat');
      checkSize(request);
      const system = await store.getObject({ kind: 'AgentSystem', ...request.system });
      if (!system)
        throw new ServiceError(
          'not_found',
          `the model ${request.system.name} does not exist: AgentSystem ${request.system.namespace}/${request.system.name} was not found`,
        );
      const { createdAt, ...session } = await openChat(deps, { context, request, system });
      const answersAtOnce = await speakersHaveNoTools(store, system);
      return { session, created: Math.floor(Date.parse(createdAt) / 1_000), answersAtOnce, isShared: request.key !== undefined };
    },
    async *follow({ session }, signal) {
      for await (const page of followSessionEvents({ ...deps, reads }, session, { after: 0, signal })) {
        const items: SessionEvent[] = [];
        for (const event of page.items) {
          if (!(await holds(store, event))) continue;
          const waited = event.type === 'approval.requested' && (await suspended(deps, session, signal));
          // The approval may have been decided meanwhile.
          if (!waited || (await holds(store, event))) items.push(event);
        }
        yield { ...page, items };
      }
    },
    async abandon(context, { session: { uid, ...ref }, isShared }) {
      if (isShared) return;
      await transactAgain(store, async (tx) => {
        const orders = await changeSession(tx, { ref, uid, deps }, (draft) =>
          hasEnded(draft.phase) ? Promise.resolve([]) : endSession(draft, 'Cancelled', 'the client closed the connection'),
        );
        await carryOut(deps, tx, { orders: orders ?? [], namespace: ref.namespace, by: context });
      });
    },
  };
}

function checkSize({ history, content }: ChatRequest): void {
  const bytes = history.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0);
  if (history.length > CONVERSATION_MESSAGES_MAX || bytes > CONVERSATION_MAX_BYTES)
    throw new ServiceError(
      'too_large',
      `messages may be ${CONVERSATION_MESSAGES_MAX} with ${CONVERSATION_MAX_BYTES} bytes together; these are ${history.length} with ${bytes} bytes`,
    );
  if (Buffer.byteLength(content) > CONTENT_MAX_BYTES)
    throw new ServiceError('too_large', `the last message may have ${CONTENT_MAX_BYTES} bytes`);
}

interface Opening {
  readonly context: RequestContext;
  readonly request: ChatRequest;
  readonly system: StoredObject;
}

function openChat(deps: SessionDeps, { context, request, system }: Opening): Promise<SessionStream & Pick<StoredObject, 'createdAt'>> {
  const { history, content, key } = request;
  if (key !== undefined) checkKey(key);
  const { namespace } = system;
  const name = key === undefined ? `chat-${randomBytes(NAME_BYTES).toString('hex')}` : nameOfKey(context, system, key);
  return transactAgain(deps.store, async (tx) => {
    const known = key === undefined ? undefined : await tx.getObject(sessionKey({ namespace, name }));
    if (known) {
      if (!jsonEquals((await readChat(tx, known.uid))?.messages, asked(request)))
        throw new ServiceError('conflict', `Idempotency-Key ${key} was used for other messages; send these under a key of their own`);
      return { namespace, name, uid: known.uid, createdAt: known.createdAt };
    }
    const body = {
      apiVersion: API_VERSION,
      kind: 'Session',
      metadata: { name, labels: { 'svc.dev/created-by': 'chat' } },
      spec: { system: system.name, max_turns: 1 },
    };
    // Another request with the same key may have made it in the meantime, through another server.
    const { resource } = await racing(deps.registry().within(tx).post(context, { kind: 'Session', body, namespace, ifNoneMatch: '*' }));
    const { uid, createdAt } = resource.metadata;
    await putChat(tx, uid, { history, messages: asked(request) });
    await changeSession(tx, { ref: { namespace, name }, uid, deps }, async (draft) => {
      draft.control = { ...draft.control, chat: true };
      await addTurn(deps, draft, { content, key: 'chat', by: context.identity.name, place: 'last' });
    });
    return { namespace, name, uid, createdAt };
  });
}

/** Time limit of the wait for the suspension of a run that requested an approval: another branch may continue. */
const SUSPENDED_MAX_MS = 1_000;

/**
 * Resolves when the Session waits: the event of a request is committed shortly before, and a client that it reaches reads the Session next.
 * False where it waits already.
 */
async function suspended({ store, clock }: SessionDeps, session: SessionStream, signal: AbortSignal): Promise<boolean> {
  const watch = new CommitWatch({ store, clock, signal, concerns: () => true, lookMs: SUSPENDED_MAX_MS });
  const until = clock.now() + SUSPENDED_MAX_MS;
  let waited = false;
  try {
    while (!signal.aborted && clock.now() < until) {
      const object = await store.getObject(sessionKey(session));
      if (!object || statusOf('Session', object).phase !== 'Running') break;
      waited = true;
      await watch.next(until - clock.now());
    }
    return waited;
  } finally {
    watch.close();
  }
}

/** False for the request of an approval that is decided by now, and for a pause that is over. */
async function holds(reader: StoreReader, { type, namespace, session_name: name, payload }: SessionEvent): Promise<boolean> {
  if (type === 'session.paused') {
    const session = await reader.getObject(sessionKey({ namespace, name }));
    return session !== undefined && statusOf('Session', session).phase === 'Paused';
  }
  if (type !== 'approval.requested') return true;
  const kind = payload['kind'] === 'TaskApproval' ? 'TaskApproval' : 'ToolApproval';
  const approval = await reader.getObject({ kind, namespace, name: String(payload['name']) });
  return approval !== undefined && statusOf(kind, approval).phase === 'Pending';
}

/** Ended Sessions of chat requests, for their retention. Labels can be changed by anybody, so the control record decides. */
export const CHATS = {
  kind: 'Session',
  labels: [{ key: 'svc.dev/created-by', op: 'eq', value: 'chat' }],
  phases: SESSION_TERMINAL_PHASES,
  completedAt: (session: StoredObject) => statusOf('Session', session).completedAt,
  isNeeded: async (reader: StoreReader, { uid }: StoredObject) => (await sessionControls.get(reader, uid))?.chat !== true,
} as const;

const asked = ({ history, content }: ChatRequest): readonly ConversationMessage[] => [...history, { role: 'user', content }];

/** Keys of different callers and systems do not meet. */
function nameOfKey({ identity }: RequestContext, system: StoredObject, key: string): string {
  const hash = createHash('sha256').update(JSON.stringify([identity.name, system.uid, key]));
  return `chat-${hash.digest('hex').slice(0, 2 * NAME_BYTES)}`;
}

async function speakersHaveNoTools(reader: StoreReader, system: StoredObject): Promise<boolean> {
  const { agents = [], graph = {} } = specOf('AgentSystem', system);
  const routed = (agent: string) => {
    const node = graph[agent];
    return node !== undefined && (node.next !== undefined || (node.edges ?? []).length > 0);
  };
  // Without a graph the agents run one after the other, and the last one answers.
  const speakers = Object.keys(graph).length === 0 ? agents.slice(-1) : agents.filter((agent) => !routed(agent));
  if (speakers.length !== 1) return false;
  for (const name of speakers) {
    const agent = await reader.getObject({ kind: 'Agent', namespace: system.namespace, name });
    if (!agent) return false;
    const { tools = [], memory } = specOf('Agent', agent);
    if (tools.length > 0 || (memory?.allow ?? []).length > 0) return false;
  }
  return true;
}
