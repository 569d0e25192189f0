// The whole of the background work on one store: two servers, one leader; timers in both; nothing left running.
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Claim, Store } from '../store/store.ts';
import { registryOver } from '../testing/registry-fixture.ts';
import { keptLog, storeEngines, type LogLine } from '../testing/background.ts';
import { createControllers, type Controllers } from './create-controllers.ts';
import { LEADER_QUEUE } from './runtime/leader.ts';

function server(store: Store, owner: string, events: string[], lines: LogLine[] = []): Controllers {
  const { log } = keptLog(lines);
  const loop = (claim: Claim) => ({
    start: () => void events.push(`+${owner}@${claim.fence}`),
    stop: () => Promise.resolve(void events.push(`-${owner}@${claim.fence}`)),
  });
  const made = createControllers({
    store,
    clock: systemClock,
    log,
    owner,
    leaseMs: 30_000,
    workerTimeoutMs: 30_000,
    random: Math.random,
    registry: registryOver(store, systemClock),
    expireApproval: () => Promise.resolve(),
    leaderLoops: [loop],
  });
  onTestFinished(() => made.stop());
  return made;
}

describe.each(storeEngines.filter(({ skip }) => !skip))('the controllers of two servers over $name', ({ open }) => {
  it('run what only the leader does in one of them, and in the other as soon as that one stops', async () => {
    const store = await open(systemClock);
    onTestFinished(() => store.close());
    const events: string[] = [];
    const lines: LogLine[] = [];
    const [first, second] = [server(store, 'a', events, lines), server(store, 'b', events, lines)];
    first.start();
    await expect.poll(() => first.leading(), { interval: 5 }).toBe(true);
    second.start();
    await store.transaction((tx) =>
      tx.insertObject({
        ...{ kind: 'Worker', namespace: 'default', name: 'silent', uid: 'u', resourceVersion: 1, generation: 1 },
        ...{ labels: {}, annotations: {}, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
        ...{ spec: {}, status: { phase: 'Ready', lastHeartbeat: '2026-01-01T00:00:00.000Z' } },
      }),
    );
    const phase = async () => (await store.getObject({ kind: 'Worker', namespace: 'default', name: 'silent' }))?.status['phase'];
    await expect.poll(phase, { interval: 10 }).toBe('NotReady');
    await first.stop();
    await expect.poll(() => second.leading(), { interval: 5 }).toBe(true);
    await second.stop();
    expect(events).toEqual(['+a@1', '-a@1', '+b@2', '-b@2']);
    expect(await store.getWorkItem(LEADER_QUEUE, 'controllers')).toMatchObject({ owner: undefined, fence: 2 });
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
