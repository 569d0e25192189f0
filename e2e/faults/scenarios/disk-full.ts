// The disk runs full under load, stays full for a while, and is freed again.
import type { Scenario } from '../scenario.ts';
import { mountMissing, mountSmallDisk } from '../world/small-disk.ts';
import { embeddedGround, inWorld, TIMING, type Ground } from '../world/world.ts';
import { refusedProperly, sentences, within } from './refusals.ts';

/** Large enough that clients still have requests to send during the outage. */
const WINDOW = 60;
const DISK_MB = 24;
const REFUSED_WITHIN_MS = 15_000;

async function smallGround(): Promise<{ ground: Ground; fill: () => void; free: () => void }> {
  const disk = await mountSmallDisk(DISK_MB);
  const ground = embeddedGround(TIMING, `${disk.path}/data`);
  return { ground: { ...ground, remove: disk.remove }, fill: disk.fill, free: disk.free };
}

export const diskFull: Scenario = {
  name: 'disk-full',
  title: 'the disk runs full under load and is freed again',
  missing: mountMissing,
  async run(setting) {
    const { ground, fill, free } = await smallGround();
    const [rounds, tasks] = setting.scale === 'long' ? [3, 12] : [1, 8];
    return inWorld({ ...setting, name: 'disk-full', ground, window: WINDOW }, async (world) => {
      const { load } = world;
      const draw = world.chance('fill');
      await world.begin();
      load.start(tasks);
      for (let round = 0; round < rounds; round += 1) {
        const before = load.refusals.length;
        await within(REFUSED_WITHIN_MS, () => load.acknowledged.size >= load.goal - draw.between(1, 4));
        fill();
        load.raise(load.goal + tasks);
        await within(REFUSED_WITHIN_MS, () => load.refusals.length >= before + 5);
        await new Promise((resolve) => setTimeout(resolve, draw.between(100, 1_000)));
        free();
        await load.reached();
      }
      return world.conclude({
        note: () => `${load.refusals.length} refusals: ${sentences(load.refusals).join(' | ')}`,
        demands: () => refusedProperly(load.refusals),
      });
    });
  },
};
