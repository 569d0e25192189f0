// Hooks of the kind Session: creation writes the first event and the expiry timer, deletion schedules the clean-up of its records.
import { ServiceError } from '@svc/shared/errors';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { activityStatus } from '@svc/shared/kinds/session/rules';
import { parseRef, type Resource } from '@svc/shared/resource';
import { durationMs } from '@svc/shared/duration';
import { timestamp, type Clock } from '../clock.ts';
import { liveClaim } from '../engine/views/expand-status.ts';
import type { KindHooks } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { hasEnded, unwrittenActivity } from './draft.ts';
import { firstLine } from './first-line.ts';
import { CLEANUP_QUEUE, EXPIRY_QUEUE } from './timers.ts';
import { deletionOf, readTurn, sessionControls, streamOf } from './records.ts';

export function createSessionHooks({ store, clock }: { readonly store: Store; readonly clock: Clock }): KindHooks {
  return {
    writtenStatus(spec, previous) {
      if (!previous || hasEnded(statusOf('Session', previous).phase)) return {};
      const { lastActivityAt = previous.metadata.createdAt } = statusOf('Session', previous);
      return activityStatus(specOf('Session', { ...previous, spec }), Date.parse(lastActivityAt));
    },
    async admit(tx, session, previous) {
      if (previous) return undefined;
      const system = systemOf(session);
      const found = await tx.getObject(system);
      if (!found)
        throw new ServiceError('invalid', `AgentSystem ${system.namespace}/${system.name} does not exist`, {
          details: [{ path: 'spec.system', message: `AgentSystem ${system.namespace}/${system.name} does not exist` }],
        });
      return { systemGeneration: found.generation, lastEventSequence: 1 };
    },
    async onCreated(tx, session) {
      const { uid, namespace, name } = session.metadata;
      const now = clock.now();
      const { systemGeneration } = statusOf('Session', session);
      await sessionControls.put(tx, uid, { turns: 0, head: 0, queued: 0, ...(systemGeneration !== undefined && { systemGeneration }) });
      const payload = { system: specOf('Session', session).system };
      await tx.appendEvents(streamOf(uid), [{ type: 'session.created', timestamp: timestamp(now), data: { payload } }]);
      const { idle_ttl: idle } = specOf('Session', session);
      const due = now + durationMs(idle, idle);
      await tx.enqueueWork({ queue: EXPIRY_QUEUE, key: uid, namespace, name, rank: due, notBefore: due, requirements: {} });
    },
    async onUpdated(tx, session, { previous }) {
      const { uid, namespace, name } = session.metadata;
      if (specOf('Session', session).idle_ttl === specOf('Session', previous).idle_ttl) return;
      // A timer that is being handled reads the new value by itself.
      if (!(await tx.removeUnclaimedWork(EXPIRY_QUEUE, uid))) return;
      const due = Date.parse(statusOf('Session', session).expiresAt ?? timestamp(clock.now()));
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

/**
 * Reads what the stored status does not say: fields that change with each event or renewal of a lease are as old in it as its last write, and older
 * versions did not store all of them.
 */
async function expand(store: Store, session: Resource): Promise<Readonly<Record<string, unknown>>> {
  const { uid, createdAt } = session.metadata;
  const spec = specOf('Session', session);
  const status = statusOf('Session', session);
  const control = await sessionControls.get(store, uid);
  const turn = control?.active === undefined ? undefined : await readTurn(store, uid, control.active);
  const activity = unwrittenActivity(status, turn);
  return {
    queuedTurns: 0,
    completedTurns: 0,
    fence: 0,
    ...(!hasEnded(status.phase) && activityStatus(spec, Date.parse(createdAt))),
    ...session.status,
    ...(activity && { activeTurnID: activity.id, lastMessage: firstLine(turn?.content ?? ''), ...activityStatus(spec, activity.at) }),
    ...(control?.checkpoint !== undefined && {
      lastCheckpointID: spec.checkpoint_retention.max_count > 0 ? control.checkpoint : undefined,
    }),
    lastEventSequence: await store.eventHead(streamOf(uid)),
    ...(control?.systemGeneration !== undefined && { systemGeneration: control.systemGeneration }),
    ...(turn?.task && (await liveClaim(store, turn.task.uid, session.status))),
  };
}
