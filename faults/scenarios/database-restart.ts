// PostgreSQL goes away in the middle of load, once in good order and once as in a crash, and comes back.
import type { Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import { postgresMissing, sharedGround, sharedPostgres } from '../world/shared-ground.ts';
import { inWorld, type World } from '../world/world.ts';
import { refusedProperly, sentences, within } from './refusals.ts';

const REFUSED_WITHIN_MS = 10_000;

/** What /readyz and /healthz answer while the database is away. */
async function health({ fleet }: World): Promise<string> {
  const statusOf = async (path: string) => (await fetch(`${fleet.urls()[0]}${path}`)).status;
  return `${await statusOf('/readyz')} ${await statusOf('/healthz')}`;
}

async function outage(world: World, mode: 'fast' | 'immediate', awayMs: number): Promise<string> {
  const { load } = world;
  const database = await sharedPostgres();
  const before = load.refusals.length;
  load.raise(load.acknowledged.size + 12);
  await database.stop(mode);
  try {
    await within(REFUSED_WITHIN_MS, () => load.refusals.length >= before + 3);
    const said = await health(world);
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    return said;
  } finally {
    // Other scenarios need it too.
    await database.start();
  }
}

export const databaseRestart: Scenario = {
  name: 'database-restart',
  title: 'PostgreSQL stopped (fast, then immediate) and started again under load',
  missing: postgresMissing,
  async run(setting) {
    const long = setting.scale === 'long';
    const ground = await sharedGround(long ? { servers: 2, workers: 3 } : { servers: 1, workers: 2 });
    return inWorld({ ...setting, name: 'database-restart', ground, window: 12 }, async (world) => {
      const { load } = world;
      const draw = world.chance('outage');
      const said: string[] = [];
      await world.begin();
      load.start(12);
      for (let round = 0; round < (long ? 3 : 1); round += 1) {
        for (const mode of ['fast', 'immediate'] as const) {
          await within(REFUSED_WITHIN_MS, () => load.acknowledged.size >= load.goal - draw.between(0, 6));
          said.push(await outage(world, mode, draw.between(0, long ? 3_000 : 800)));
          await load.reached();
        }
      }
      return world.conclude({
        note: () => `${said.length} outages; ${load.refusals.length} refusals: ${sentences(load.refusals).join(' | ')}`,
        demands: () => [...refusedProperly(load.refusals), ...toldTheTruth(said)],
      });
    });
  },
};

function toldTheTruth(said: readonly string[]): Violation[] {
  const invariant = 'without its database a server is alive and not ready';
  return said.filter((text) => text !== '503 200').map((text) => ({ invariant, detail: `readyz and healthz answered ${text}` }));
}
