// Durable timers of Sessions: expiry of idle ones, and removal of the records of deleted ones in portions.
import { durationMs } from '@svc/shared/duration';
import { partIdentity } from '../registry/principal.ts';
import type { RequestContext } from '../registry/registry.ts';
import type { StoreTransaction, WorkItem } from '../store/store.ts';
import { changeSession, hasEnded, unwrittenActivity, type SessionDraft } from './draft.ts';
import { endSession, type RunOrder } from './control.ts';
import { deleteCheckpoints } from './checkpoints.ts';
import { deleteRecords, listTurns, streamOf } from './records.ts';
import { carryOut, type SessionDeps } from './run-orders.ts';

export const EXPIRY_QUEUE = 'session.expiry';
export const CLEANUP_QUEUE = 'session.cleanup';

/** Handler for the items of one queue; it runs in the transaction that finishes the item. */
export interface SessionTimer {
  readonly queue: string;
  readonly handle: (tx: StoreTransaction, item: WorkItem, now: number) => Promise<{ readonly againAt: number } | undefined>;
}

const CONTEXT: RequestContext = { identity: partIdentity('sessions'), requestId: 'sessions' };

export function createSessionTimers(deps: SessionDeps): SessionTimer[] {
  return [
    { queue: EXPIRY_QUEUE, handle: (tx, item, now) => expire(deps, tx, { item, now }) },
    { queue: CLEANUP_QUEUE, handle: (tx, item, now) => cleanUp(deps, tx, { item, now }) },
  ];
}

/** A Session that had ended may expire again. */
export async function watchIdle({ tx, object, spec, now }: SessionDraft): Promise<void> {
  const { uid: key, namespace, name } = object;
  if (await tx.getWorkItem(EXPIRY_QUEUE, key)) return;
  const due = now + durationMs(spec.idle_ttl, spec.idle_ttl);
  await tx.enqueueWork({ queue: EXPIRY_QUEUE, key, namespace, name, rank: due, notBefore: due, requirements: {} });
}

interface Due {
  readonly item: WorkItem;
  readonly now: number;
}

/** The timer is not moved with every turn: it checks the last activity when it fires, and waits for the rest. */
async function expire(deps: SessionDeps, tx: StoreTransaction, { item, now }: Due): Promise<{ againAt: number } | undefined> {
  const result = await changeSession<{ readonly againAt: number } | { readonly orders: readonly RunOrder[] } | undefined>(
    tx,
    { ref: item, uid: item.key, deps },
    async (draft) => {
      if (hasEnded(draft.phase)) return undefined;
      const idleMs = durationMs(draft.spec.idle_ttl, draft.spec.idle_ttl);
      if (draft.phase === 'Running' || draft.phase === 'WaitingApproval') return { againAt: now + idleMs };
      const { active } = draft.control;
      const activity = unwrittenActivity(draft.status, active === undefined ? undefined : await draft.turn(active));
      const due = (activity?.at ?? Date.parse(draft.status.lastActivityAt ?? draft.object.createdAt)) + idleMs;
      if (due > now) return { againAt: due };
      return { orders: await endSession(draft, 'Expired', `no activity for ${draft.spec.idle_ttl}`) };
    },
  );
  if (!result) return undefined;
  if ('againAt' in result) return result;
  await carryOut(deps, tx, { orders: result.orders, namespace: item.namespace, by: CONTEXT });
  return undefined;
}

const EVENTS_PER_STEP = 1_000;
const TURNS_PER_STEP = 50;

/** Tasks of its turns first, because their ends are looked up by what is removed afterwards. */
async function cleanUp(deps: SessionDeps, tx: StoreTransaction, { item, now }: Due): Promise<{ againAt: number } | undefined> {
  const { key: uid, namespace } = item;
  const registry = deps.registry().within(tx);
  const turns = await listTurns(tx, uid, { after: 0, limit: TURNS_PER_STEP });
  for (const { task } of turns) {
    const stored = task && (await tx.getObject({ kind: 'Task', namespace, name: task.name }));
    if (stored?.uid === task?.uid && task) await registry.remove(CONTEXT, { kind: 'Task', namespace, name: task.name });
  }
  if ((await deleteCheckpoints(tx, uid, 4 * TURNS_PER_STEP)) > 0) return { againAt: now };
  const emptied = await deleteRecords(tx, uid, 4 * TURNS_PER_STEP);
  const gone = emptied && (await tx.deleteEvents(streamOf(uid), EVENTS_PER_STEP));
  return gone ? undefined : { againAt: now };
}
