// Hooks of the kind Session: creation writes the first event and the expiry timer, deletion schedules the clean-up of its records.
import { ServiceError } from '@svc/shared/errors';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { parseRef, type Resource } from '@svc/shared/resource';
import { durationMs } from '@svc/shared/duration';
import { timestamp, type Clock } from '../clock.ts';
import type { KindHooks } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { unwrittenActivity } from './draft.ts';
import { CLEANUP_QUEUE, EXPIRY_QUEUE } from './timers.ts';
import { deletionOf, putControl, readControl, readTurn, streamOf } from './records.ts';

export function createSessionHooks({ store, clock }: { readonly store: Store; readonly clock: Clock }): KindHooks {
  return {
    async admit(tx, session, previous) {
      if (previous) return;
      const system = systemOf(session);
      if (!(await tx.getObject(system)))
        throw new ServiceError('invalid', `AgentSystem ${system.namespace}/${system.name} does not exist`, {
          details: [{ path: 'spec.system', message: `AgentSystem ${system.namespace}/${system.name} does not exist` }],
        });
    },
    async onCreated(tx, session) {
      const { uid, namespace, name } = session.metadata;
      const now = clock.now();
      const system = await tx.getObject(systemOf(session));
      await putControl(tx, uid, { turns: 0, head: 0, queued: 0, ...(system && { systemGeneration: system.generation }) });
      const payload = { system: specOf('Session', session).system };
      await tx.appendEvents(streamOf(uid), [{ type: 'session.created', timestamp: timestamp(now), data: { payload } }]);
      const due = now + idleMs(session);
      await tx.enqueueWork({ queue: EXPIRY_QUEUE, key: uid, namespace, name, rank: due, notBefore: due, requirements: {} });
    },
    async onDeleted(tx, session) {
      const { uid, namespace, name } = session.metadata;
      tx.wakeReaders(deletionOf(uid));
      await tx.dropWork(EXPIRY_QUEUE, uid);
      await tx.enqueueWork({ queue: CLEANUP_QUEUE, key: uid, namespace, name, rank: 0, notBefore: 0, requirements: {} });
    },
    expandStatus: (session) => expand(store, session),
  };
}

const systemOf = (session: Resource) => ({
  kind: 'AgentSystem',
  ...parseRef(specOf('Session', session).system, session.metadata.namespace),
});

function idleMs(session: Pick<Resource, 'spec' | 'metadata'>): number {
  const { idle_ttl: idle } = specOf('Session', session);
  return durationMs(idle, idle);
}

/** Metrics that change with every event are read on demand. */
async function expand(store: Store, session: Resource): Promise<Readonly<Record<string, unknown>>> {
  const { uid, namespace, createdAt } = session.metadata;
  const status = statusOf('Session', session);
  const control = await readControl(store, uid);
  const turn = control?.active === undefined ? undefined : await readTurn(store, uid, control.active);
  const task = turn?.task && (await store.getObject({ kind: 'Task', namespace, name: turn.task.name }));
  const { leaseUntil, lastHeartbeat } = task && status.claimedBy ? statusOf('Task', task) : {};
  const activity = unwrittenActivity(status, turn);
  return {
    queuedTurns: 0,
    completedTurns: 0,
    fence: 0,
    expiresAt: timestamp(Date.parse(createdAt) + idleMs(session)),
    lastActivityAt: createdAt,
    ...session.status,
    ...(activity && {
      activeTurnID: activity.id,
      lastActivityAt: timestamp(activity.at),
      expiresAt: timestamp(activity.at + idleMs(session)),
    }),
    ...(control?.checkpoint !== undefined && { lastCheckpointID: control.checkpoint }),
    lastEventSequence: await store.eventHead(streamOf(uid)),
    ...(control?.systemGeneration !== undefined && { systemGeneration: control.systemGeneration }),
    ...(leaseUntil !== undefined && { leaseUntil }),
    ...(lastHeartbeat !== undefined && { lastHeartbeat }),
  };
}
