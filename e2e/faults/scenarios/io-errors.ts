// Writes and fsyncs of the database fail with EIO for a while: requests get errors, and acknowledged writes stay.
import type { Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import { injectInto, injectionMissing, SYNC_CALLS } from '../world/injection.ts';
import { embeddedGround, inWorld, type World } from '../world/world.ts';
import { refusedProperly, sentences, within } from './refusals.ts';

/** Large enough that clients still have requests to send during the outage. */
const WINDOW = 60;
const RECOVERS_WITHIN_MS = 8_000;
const NEEDS_RESTART = /restart the server/;

interface Round {
  readonly calls: readonly string[];
  /** Calls that fail, counted from the start of the load. */
  readonly first: number;
  readonly last: number;
}

type Recovery = 'by itself' | 'after a restart it asked for' | 'only after a restart';

/** Calls first..last of the running server fail, under load; it continues, or it is restarted. */
async function failing({ fleet, load }: World, { calls, first, last }: Round): Promise<Recovery> {
  const injection = await injectInto(fleet.process('server')?.pid ?? 0, calls, `error=EIO:when=${first}..${last}`);
  const refused = load.refusals.length;
  // The load continues until a call of the right number was made.
  const pressure = setInterval(() => load.raise(load.acknowledged.size + 8), 25);
  await within(RECOVERS_WITHIN_MS, () => load.refusals.length > refused);
  clearInterval(pressure);
  const recovered = await within(RECOVERS_WITHIN_MS, () => load.acknowledged.size >= load.goal);
  await injection.detach();
  if (recovered) return 'by itself';
  const restartRequested = load.refusals.slice(refused).some(({ message }) => NEEDS_RESTART.test(message));
  await fleet.stop('server');
  await fleet.start('server');
  return restartRequested ? 'after a restart it asked for' : 'only after a restart';
}

function checkRecoveries(recoveries: readonly Recovery[]): Violation[] {
  const invariant = 'a server whose disk failed goes on by itself or says that it must be restarted';
  return recoveries.filter((each) => each === 'only after a restart').map(() => ({ invariant, detail: 'it did neither' }));
}

export const ioErrors: Scenario = {
  name: 'io-errors',
  title: 'EIO from fsync and from write',
  missing: injectionMissing,
  async run(setting) {
    const rounds = setting.scale === 'long' ? 3 : 1;
    return inWorld({ ...setting, name: 'io-errors', ground: embeddedGround(), window: WINDOW }, async (world) => {
      const { load } = world;
      const draw = world.chance('when');
      const recoveries: Recovery[] = [];
      await world.begin();
      load.start(6);
      for (let round = 0; round < rounds; round += 1) {
        for (const calls of [SYNC_CALLS, ['pwrite64']]) {
          const first = draw.between(2, 10);
          recoveries.push(await failing(world, { calls, first, last: first + draw.between(1, 40) }));
        }
      }
      await load.reached();
      return world.conclude({
        note: () =>
          `recovered ${[...new Set(recoveries)].join(', ')}; ${load.refusals.length} refusals: ${sentences(load.refusals).join(' | ')}`,
        demands: () => [...refusedProperly(load.refusals), ...checkRecoveries(recoveries)],
      });
    });
  },
};
