// A Session that begins where a checkpoint of another one stands, with a history of its own: nothing of the other one is needed afterwards.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { ForkRequest } from '@svc/shared/api/sessions';
import { specOf } from '@svc/shared/kinds/read';
import { API_VERSION, parseRef } from '@svc/shared/resource';
import type { EncodedState } from '../engine/core/state-codec.ts';
import { creatorsOf } from '../registry/principal.ts';
import type { RequestContext } from '../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { addCheckpoint, type CheckpointRecord } from './checkpoints.ts';
import { resumeSession } from './control.ts';
import { changeSession, type SessionDraft, type SessionRef } from './draft.ts';
import { firstLine } from './first-line.ts';
import { putChat, readChat, readTurn, type TurnRecord } from './records.ts';
import { verifiedState } from './replay.ts';
import { continueTurn } from './rewind.ts';
import type { TurnDeps } from './turns.ts';

/** Turns that a fork takes over. */
const HISTORY_MAX = 10_000;

export interface Fork {
  readonly context: RequestContext;
  readonly source: StoredObject;
  readonly checkpoint: CheckpointRecord;
  readonly request: ForkRequest;
}

export interface ForkResult {
  readonly ref: SessionRef;
  /** The fork's own checkpoint; undefined when its retention keeps none. */
  readonly checkpointId: string | undefined;
}

/** In the caller's transaction, opened with `transactAgain`. Throws `conflict` for a name that is taken, `invalid` for unknown agents. */
export async function forkSession(deps: TurnDeps, tx: StoreTransaction, fork: Fork): Promise<ForkResult> {
  const { source, checkpoint, request } = fork;
  const encoded = await verifiedState(tx, source.uid, checkpoint);
  const turn = await readTurn(tx, source.uid, checkpoint.sequence);
  if (!turn) throw new ServiceError('conflict', `the turn of checkpoint ${checkpoint.id} is no longer stored`);
  const closes = checkpoint.safe_point === 'turn.completed';
  const history = await historyOf(tx, source.uid, closes ? turn.sequence : (turn.parent ?? 0));
  const ref = { namespace: request.namespace ?? source.namespace, name: request.name };
  const uid = await createSession(deps, tx, fork);
  const chat = await readChat(tx, source.uid);
  if (chat) await putChat(tx, uid, chat);
  const result = await changeSession(tx, { ref, uid, deps }, async (draft) => {
    for (const each of history) draft.setTurn(each);
    const head = history.length;
    draft.control = { ...draft.control, head, turns: head, checkpoint: checkpoint.id };
    const { completedTurns } = checkpoint;
    draft.setStatus({ phase: 'Paused', completedTurns, lastMessage: firstLine(turn.content), restoredCheckpoint: checkpoint.id, fence: 1 });
    draft.emit('session.forked', { checkpoint_id: checkpoint.id, session: { namespace: source.namespace, name: source.name } });
    const last = (closes && history.at(-1)) || (await continueTurn(draft, turn, { checkpoint, encoded }));
    const checkpointId = await ownCheckpoint(draft, { turn: last, checkpoint, encoded });
    if (request.resume === true) await resumeSession(deps, draft, 'forked');
    return { ref, checkpointId };
  });
  if (!result) throw new ServiceError('conflict', `Session ${ref.namespace}/${ref.name} was deleted while it was made`);
  return result;
}

interface Origin {
  readonly turn: TurnRecord;
  readonly checkpoint: CheckpointRecord;
  readonly encoded: EncodedState;
}

function ownCheckpoint(draft: SessionDraft, { turn, checkpoint, encoded }: Origin): Promise<string | undefined> {
  return addCheckpoint(draft, turn, { safePoint: checkpoint.safe_point, agent: checkpoint.agent, encoded });
}

/**
 * Turns of the conversation up to this one as a fork has them, the oldest first: numbered in that order, because an interrupting turn comes
 * before turns with lower numbers, and as succeeded, because a rewind may have undone them.
 */
async function historyOf(reader: StoreReader, uid: string, last: number): Promise<TurnRecord[]> {
  const turns: TurnRecord[] = [];
  for (let sequence = last; sequence > 0;) {
    const turn: TurnRecord | undefined = await readTurn(reader, uid, sequence);
    if (!turn) break;
    if (turns.push(turn) > HISTORY_MAX) throw new ServiceError('too_large', `a fork copies at most ${HISTORY_MAX} turns`);
    sequence = turn.parent ?? 0;
  }
  return turns.reverse().map(({ task: _task, ...turn }, index) => ({ ...turn, sequence: index + 1, parent: index, phase: 'Succeeded' }));
}

/** Returns its uid. */
async function createSession(deps: TurnDeps, tx: StoreTransaction, { source, request, context }: Fork): Promise<string> {
  const spec = specOf('Session', source);
  const namespace = request.namespace ?? source.namespace;
  const agents = await agentsOf(tx, spec.system, namespace);
  const overrides = {
    model: { ...spec.overrides?.model, ...expanded('model', request.overrides?.model, agents) },
    prompt: { ...spec.overrides?.prompt, ...expanded('prompt', request.overrides?.prompt, agents) },
  };
  const changes = Object.keys(overrides.model).length + Object.keys(overrides.prompt).length > 0;
  const metadata = { name: request.name, labels: source.labels };
  const body = { apiVersion: API_VERSION, kind: 'Session', metadata, spec: { ...source.spec, ...(changes && { overrides }) } };
  const write = { kind: 'Session', body, namespace, ifNoneMatch: '*', alsoBy: creatorsOf(source) };
  const { resource } = await deps.registry().within(tx).post(context, write);
  return resource.metadata.uid;
}

async function agentsOf(reader: StoreReader, system: string, namespace: string): Promise<readonly string[]> {
  const found = await reader.getObject({ kind: 'AgentSystem', ...parseRef(system, namespace) });
  return found ? (specOf('AgentSystem', found).agents ?? []) : [];
}

/** One value is for every agent. */
function expanded(
  field: string,
  value: string | Readonly<Record<string, string>> | undefined,
  agents: readonly string[],
): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (typeof value === 'string') return Object.fromEntries(agents.map((agent) => [agent, value]));
  const unknown = Object.keys(value).filter((agent) => !agents.includes(agent));
  if (unknown.length === 0) return value;
  const details = unknown.map((agent) => ({ path: `overrides.${field}.${agent}`, message: `the agent system has no agent ${agent}` }));
  throw invalidFields('The fork', details);
}
