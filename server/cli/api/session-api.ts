// Requests about Sessions: turns, control, checkpoints. Prints nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Checkpoint,
  ForkedSession,
  ForkRequest,
  RewoundSession,
  SessionControl,
  SessionPage,
  SubmittedTurn,
  Turn,
} from '@svc/shared/api/sessions';
import { backoffMs } from '@svc/shared/backoff';
import { kindByName, type StatusOf } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { statusOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import type { ApiClient, ApiRequest } from './client.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { taskPath } from './follow-trace.ts';
import { getObject, nameSegment, objectPath, postAction, sendAbout, type ObjectKey } from './resource-api.ts';

export interface SessionHandle {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
}

export const sessionKind = (): KindDefinition => kindByName('Session') as KindDefinition;
const sessionKey = ({ namespace, name }: SessionHandle): ObjectKey => ({ kind: sessionKind(), namespace, name });
export const sessionPath = (session: SessionHandle, rest: string): string => `${objectPath(sessionKey(session))}/${rest}`;

export const getSession = (session: SessionHandle): Promise<Resource> => getObject(session.client, sessionKey(session));

export const sessionStatus = (session: Resource): StatusOf<'Session'> => statusOf('Session', session);
export const lastEventOf = (session: Resource): number => sessionStatus(session).lastEventSequence ?? 0;

/** Every item of a paged list after `after`, up to `max`. */
export async function readPages<Item>(
  session: SessionHandle,
  list: string,
  { after, max = Number.POSITIVE_INFINITY }: { readonly after?: string | undefined; readonly max?: number | undefined },
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor = after;
  do {
    const limit = Math.min(PAGE_SIZE, max - found.length);
    const query = { namespace: session.namespace, limit, after: cursor };
    const { body } = await session.client.send<SessionPage<Item>>({ method: 'GET', path: sessionPath(session, list), query });
    found.push(...body.items);
    cursor = body.continue;
  } while (cursor !== undefined && found.length < max);
  return found;
}

const PAGE_SIZE = 500;

/** The newest turns, the oldest of them first. Cancelled turns may make the read longer, never shorter. */
export async function newestTurns(handle: SessionHandle, session: Resource, count: number): Promise<Turn[]> {
  const { completedTurns = 0, queuedTurns = 0 } = sessionStatus(session);
  const least = completedTurns + queuedTurns;
  const turns = await readPages<Turn>(handle, 'turns', { after: String(Math.max(0, least - count)) });
  return turns.slice(-count);
}

export interface Message {
  readonly content: string;
  readonly interrupt?: boolean | undefined;
  readonly idempotencyKey: string;
}

const SUBMIT_TRIES = 6;
const RETRY = { backoffMs: 200, maxBackoffMs: 3_000, jitter: 'equal' } as const;

/** Queues a turn. A lost connection repeats the request: its key makes that harmless. */
export async function submitTurn(session: SessionHandle, message: Message): Promise<Turn> {
  const { content, interrupt, idempotencyKey } = message;
  for (let tries = 1; ; tries += 1) {
    try {
      const submitted = await sendAbout<SubmittedTurn>(session.client, sessionKey(session), {
        method: 'POST',
        below: 'turns',
        headers: { 'idempotency-key': idempotencyKey },
        body: { content, ...(interrupt && { interrupt }) },
      });
      return submitted.turn;
    } catch (error) {
      const lost = error instanceof CliError && error.exitCode === EXIT.unreachable;
      if (!lost || tries === SUBMIT_TRIES) throw error;
      await sleep(backoffMs(RETRY, { failures: tries, random: Math.random() }));
    }
  }
}

export const controlSession = (session: SessionHandle, control: SessionControl, reason?: string): Promise<Resource> =>
  postAction(session.client, sessionKey(session), { name: control, body: reason === undefined ? {} : { reason } });

/** The turn that runs; undefined when nothing does. */
export async function activeTurn(handle: SessionHandle): Promise<Turn | undefined> {
  const { activeTurnID: id, completedTurns = 0 } = sessionStatus(await getSession(handle));
  if (id === undefined) return undefined;
  return (await readPages<Turn>(handle, 'turns', { after: String(completedTurns) })).find((turn) => turn.id === id);
}

/** Cancels the run of a turn; the next one that waits begins. */
export async function interruptTurn({ client, namespace }: SessionHandle, turn: Turn, reason: string): Promise<void> {
  if (turn.task_name === undefined) throw new CliError(`turn ${turn.queue_sequence} has not begun to run; it cannot be interrupted`);
  const path = taskPath({ namespace, name: turn.task_name }, 'cancel');
  await client.send({ method: 'POST', path, query: { namespace }, body: { reason } });
}

/** Newest first. */
export async function listCheckpoints(session: SessionHandle): Promise<readonly Checkpoint[]> {
  const request = { method: 'GET', below: 'checkpoints' } as const;
  return (await sendAbout<SessionPage<Checkpoint>>(session.client, sessionKey(session), request)).items;
}

/** Number of a checkpoint in its Session, as its id has it: `ckpt-00000003-…` is 3. */
export const checkpointNumber = (id: string): string => /^ckpt-0*(\d+)-/.exec(id)?.[1] ?? '-';

/** Id of a checkpoint that is named by its id, its number or `latest`: the one where the Session stands, after a rewind too. */
export async function checkpointId(session: SessionHandle, word: string): Promise<string> {
  if (word !== 'latest' && !/^\d{1,8}$/.test(word)) return word;
  const found =
    word === 'latest'
      ? sessionStatus(await getSession(session)).lastCheckpointID
      : (await listCheckpoints(session)).find(({ id }) => checkpointNumber(id) === String(Number(word)))?.id;
  if (found !== undefined) return found;
  const what = word === 'latest' ? 'a checkpoint' : `checkpoint ${word}`;
  throw new CliError(`session/${session.name} does not have ${what}`, {
    exitCode: EXIT.notFound,
    hint: (svcctl) => `list them with "${svcctl} sessions checkpoints ${session.name}"`,
  });
}

interface CheckpointRequest extends Pick<ApiRequest, 'method' | 'query' | 'body'> {
  /** The id of the checkpoint, which may be any text. */
  readonly id: string;
  /** Path below that of the checkpoint. */
  readonly below?: string;
}

/** A request about a checkpoint, or about a part of it. Answers with the body. */
export const sendAboutCheckpoint = async <Body>(session: SessionHandle, { id, below, ...request }: CheckpointRequest): Promise<Body> =>
  sendAbout(session.client, sessionKey(session), {
    ...request,
    below: `checkpoints/${nameSegment(id)}${below === undefined ? '' : `/${below}`}`,
  });

/** With `resume` the Session continues at once; otherwise it is paused at the checkpoint. */
export const rewindSession = (session: SessionHandle, id: string, resume: boolean): Promise<RewoundSession> =>
  sendAboutCheckpoint(session, { method: 'POST', id, below: 'rewind', body: resume ? { interrupt: true, resume: true } : {} });

export const forkSession = (session: SessionHandle, id: string, request: ForkRequest): Promise<ForkedSession> =>
  sendAboutCheckpoint(session, { method: 'POST', id, below: 'fork', body: request });
