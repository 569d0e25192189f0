// Time from the death of a worker in the middle of long calls to the next worker's claim.
import type { Evidence, Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import type { LedgerCall, Pace } from '../world/ledger.ts';
import { postgresMissing, sharedFleet } from '../world/shared-postgres.ts';
import { inWorld, TIMING } from '../world/world.ts';
import { heldBy, median, successions, untilTakenOver, workerInACall } from './holders.ts';

/** Longer than a lease: the worker must have renewed it while it waited for the answer. */
const LONG_CALL_MS = TIMING.leaseMs + 1_000;
const HELD_MS = 500;
const TAKEOVER_MAX_MS = TIMING.leaseMs + 1_000;

interface Death {
  readonly worker: string;
  readonly at: number;
}

/** A task's first tool call takes long, its repetition does not. */
function longFirstCalls(): Pace {
  const seen = new Set<string>();
  return ({ kind, task }) => {
    if (kind === 'model' || seen.has(task)) return 5;
    seen.add(task);
    return LONG_CALL_MS;
  };
}

const times = (evidence: Evidence, deaths: readonly Death[]) =>
  deaths.flatMap(({ worker, at }) => successions(evidence, worker, at).map(({ afterMs }) => afterMs));

function inTime(evidence: Evidence, deaths: readonly Death[]): Violation[] {
  const invariant = `a dead worker's tasks are taken over within its lease and a second (${TAKEOVER_MAX_MS} ms)`;
  const without = deaths.filter(({ worker, at }) => successions(evidence, worker, at).length === 0);
  return [
    ...without.map(({ worker }) => ({ invariant, detail: `${worker} held nothing when it died, so nothing was shown` })),
    ...times(evidence, deaths)
      .filter((ms) => ms > TAKEOVER_MAX_MS)
      .map((ms) => ({ invariant, detail: `it took ${ms} ms` })),
  ];
}

export const takeover: Scenario = {
  name: 'takeover',
  title: `kill -9 of a worker in long calls: lease ${TIMING.leaseMs} ms, taken over within ${TAKEOVER_MAX_MS} ms`,
  missing: postgresMissing,
  async run(setting) {
    const rounds = setting.scale === 'long' ? 3 : 1;
    const ground = await sharedFleet({ servers: 1, workers: 2 });
    return inWorld({ ...setting, name: 'takeover', ground, window: 8 }, async (world) => {
      const { load, ledger, fleet } = world;
      const draw = world.chance('kill');
      const deaths: Death[] = [];
      ledger.setPace(longFirstCalls());
      await world.begin();
      load.start(6);
      for (let round = 0; round < rounds; round += 1) {
        load.raise(load.acknowledged.size + 6);
        const fits = ({ kind, arrivedAt }: LedgerCall) => kind === 'tool' && Date.now() - arrivedAt > HELD_MS;
        const worker = await workerInACall(world, { fits });
        await new Promise((resolve) => setTimeout(resolve, draw.between(0, TIMING.heartbeatMs)));
        const tasks = await heldBy(world, worker);
        deaths.push({ worker, at: Date.now() });
        await fleet.kill(worker);
        if (round === rounds - 1) continue;
        // A successor killed before it has recorded its claim would count as a late one.
        await untilTakenOver(world, worker, tasks);
        await fleet.start(worker);
      }
      return world.conclude({
        demands: (evidence) => inTime(evidence, deaths),
        note: (evidence) => {
          const all = times(evidence, deaths);
          return `taken over after ${median(all)} ms (median), ${Math.max(0, ...all)} ms (worst), lease ${TIMING.leaseMs} ms`;
        },
      });
    });
  },
};
