// kill -9 of random processes, repeatedly, under load.
import type { Outcome, Scenario, Setting } from '../scenario.ts';
import { sharedFleet, postgresMissing } from '../world/shared-postgres.ts';
import { embeddedGround, inWorld, type Ground, type World } from '../world/world.ts';

interface Storm {
  readonly kills: number;
  readonly tasks: number;
  /** Longest time between two kills. */
  readonly pauseMaxMs: number;
  /** Tasks open at once. */
  readonly window: number;
}

/** A share of kills hits a process that still recovers from its last kill. */
const HASTY_SHARE = 0.15;

async function storm({ fleet, load, chance }: World, { kills, pauseMaxMs }: Storm): Promise<void> {
  const draw = chance('kills');
  const starting = new Map<string, Promise<void>>();
  for (let round = 0; round < kills; round += 1) {
    const victim = draw.pick(fleet.names());
    const [hasty, pause] = [draw.next() < HASTY_SHARE, draw.between(5, pauseMaxMs)];
    if (!hasty) await starting.get(victim);
    await new Promise((resolve) => setTimeout(resolve, pause));
    await fleet.kill(victim);
    const start = fleet.start(victim);
    start.catch(() => undefined);
    starting.set(victim, start);
    // The load lasts as long as the kills.
    if (round < kills - 1) load.raise(load.acknowledged.size + 2);
  }
  await Promise.all(starting.values());
}

async function runStorm(setting: Setting, { name, ground, plan }: { name: string; ground: Ground; plan: Storm }): Promise<Outcome> {
  return inWorld({ ...setting, name, ground, window: plan.window }, async (world) => {
    await world.begin();
    world.load.start(plan.tasks);
    await storm(world, plan);
    await world.load.reached();
    return world.conclude({ note: () => `${world.load.broken} requests cut off, ${world.events.connections} watch connections` });
  });
}

export const killStormEmbedded: Scenario = {
  name: 'kill-embedded',
  title: 'kill -9 of a server with its own database and worker',
  missing: async () => undefined,
  run: (setting) => {
    const long = setting.scale === 'long';
    const plan = long ? { kills: 85, tasks: 500, pauseMaxMs: 300, window: 16 } : { kills: 5, tasks: 24, pauseMaxMs: 300, window: 12 };
    return runStorm(setting, { name: 'kill-embedded', ground: embeddedGround(), plan });
  },
};

export const killStormShared: Scenario = {
  name: 'kill-shared',
  title: 'kill -9 of any of several servers and workers over PostgreSQL',
  missing: postgresMissing,
  run: async (setting) => {
    const long = setting.scale === 'long';
    const plan = long ? { kills: 120, tasks: 520, pauseMaxMs: 600, window: 20 } : { kills: 6, tasks: 24, pauseMaxMs: 400, window: 12 };
    const counts = { servers: 2, workers: long ? 3 : 2 };
    return runStorm(setting, { name: 'kill-shared', ground: await sharedFleet(counts), plan });
  },
};
