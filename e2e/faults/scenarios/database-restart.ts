// PostgreSQL becomes unavailable under load, once by a clean stop and once by a crash, and returns.
import type { Evidence, Violation } from '../check/evidence.ts';
import { readRun } from '../check/run-record.ts';
import type { Scenario } from '../scenario.ts';
import { postgresMissing, sharedFleet, sharedPostgres } from '../world/shared-postgres.ts';
import { inWorld, type World } from '../world/world.ts';
import { refusedProperly, sentences, within } from './refusals.ts';

/** Large enough that clients still have requests to send during the outage. */
const WINDOW = 60;
const REFUSED_WITHIN_MS = 10_000;

/** Answers of /readyz and /healthz while the database is unavailable. */
async function health({ fleet }: World): Promise<string> {
  const statusOf = async (path: string) => (await fetch(`${fleet.urls()[0]}${path}`)).status;
  return `${await statusOf('/readyz')} ${await statusOf('/healthz')}`;
}

interface Outage {
  /** Statuses of readyz and healthz meanwhile. */
  readonly statuses: string;
  /** Time at which the database answered again, milliseconds since the epoch. */
  readonly backAt: number;
}

async function outage(world: World, mode: 'fast' | 'immediate', awayMs: number): Promise<Outage> {
  const { load } = world;
  const database = await sharedPostgres();
  const before = load.refusals.length;
  load.raise(load.acknowledged.size + 12);
  await database.stop(mode);
  let statuses: string;
  try {
    await within(REFUSED_WITHIN_MS, () => load.refusals.length >= before + 3);
    statuses = await health(world);
    await new Promise((resolve) => setTimeout(resolve, awayMs));
  } finally {
    // Other scenarios need it too.
    await database.start();
  }
  return { statuses, backAt: Date.now() };
}

export const databaseRestart: Scenario = {
  name: 'database-restart',
  title: 'PostgreSQL stopped (fast, then immediate) and started again under load',
  missing: postgresMissing,
  async run(setting) {
    const long = setting.scale === 'long';
    const ground = await sharedFleet(long ? { servers: 2, workers: 3 } : { servers: 1, workers: 2 });
    return inWorld({ ...setting, name: 'database-restart', ground, window: WINDOW }, async (world) => {
      const { load } = world;
      const draw = world.chance('outage');
      const outages: Outage[] = [];
      await world.begin();
      load.start(12);
      for (let round = 0; round < (long ? 2 : 1); round += 1) {
        for (const mode of ['fast', 'immediate'] as const) {
          await within(REFUSED_WITHIN_MS, () => load.acknowledged.size >= load.goal - draw.between(0, 6));
          outages.push(await outage(world, mode, draw.between(0, long ? 2_000 : 500)));
          await load.reached();
        }
      }
      return world.conclude({
        note: (evidence) => {
          const pauses = outages.map(({ backAt }) => firstClaimAfter(evidence, backAt) - backAt);
          const refusals = `${load.refusals.length} refusals in ${sentences(load.refusals).length} sentences`;
          return `${outages.length} outages; ${refusals}; claims went on after ${pauses.join(', ')} ms`;
        },
        demands: () => [...refusedProperly(load.refusals), ...readinessMatches(outages)],
      });
    });
  },
};

function readinessMatches(outages: readonly Outage[]): Violation[] {
  const invariant = 'without its database a server is alive and not ready';
  return outages
    .filter(({ statuses }) => statuses !== '503 200')
    .map(({ statuses }) => ({ invariant, detail: `readyz and healthz answered ${statuses}` }));
}

/** Milliseconds since the epoch. */
function firstClaimAfter({ journals }: Evidence, moment: number): number {
  const claims = [...journals.values()].flatMap((journal) => readRun(journal).claims.map(({ at }) => at));
  return Math.min(...claims.filter((at) => at >= moment));
}
