// The process dies at its k-th fsync: before its writes are on the disk, and before it has answered anyone.
import type { Scenario } from '../scenario.ts';
import { injecting, injectionMissing, SYNC_CALLS } from '../world/injection.ts';
import { embeddedGround, inWorld, type World } from '../world/world.ts';

/** A start on an empty directory needs fewer than this: kills up to here hit the making of the schema. */
const START_SYNCS = 16;
const LIVES_AT_MOST_MS = 12_000;

async function dieAtSync({ fleet, load }: World, k: number): Promise<void> {
  // Each group of writes takes one fsync: the load continues until enough happened.
  const pressure = setInterval(() => load.raise(load.acknowledged.size + 8), 25);
  const process = fleet.launch('server', injecting(SYNC_CALLS, `signal=SIGKILL:when=${k}`), true);
  void fleet.awaitReady('server');
  const timer = setTimeout(() => process.signal('SIGKILL'), LIVES_AT_MOST_MS);
  await process.ended;
  clearTimeout(timer);
  clearInterval(pressure);
  fleet.kills += 1;
}

export const killAtSync: Scenario = {
  name: 'kill-at-sync',
  title: 'killed at the k-th fsync, beginning with those of the first start',
  missing: injectionMissing,
  async run(setting) {
    const counts = setting.scale === 'long' ? { early: 4, late: 6 } : { early: 1, late: 2 };
    return inWorld({ ...setting, name: 'kill-at-sync', ground: embeddedGround(), window: 8 }, async (world) => {
      const draw = world.chance('k');
      const early = Array.from({ length: counts.early }, () => draw.between(1, START_SYNCS));
      const late = Array.from({ length: counts.late }, () => draw.between(START_SYNCS + 1, 90));
      const declared = world.declare().then(() => world.load.start(10));
      for (const k of [...early, ...late]) await dieAtSync(world, k);
      await world.fleet.start('server');
      await declared;
      await world.load.reached();
      return world.conclude({ note: () => `k = ${[...early, ...late].join(', ')}` });
    });
  },
};
