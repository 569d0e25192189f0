// Every server and worker is stopped (SIGTERM) and started again, one after the other, under load: runs continue at once.
import type { Evidence, Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import type { Pace } from '../world/ledger.ts';
import type { ProcessExit } from '../world/processes.ts';
import { postgresMissing, sharedFleet } from '../world/shared-postgres.ts';
import { inWorld, takeovers, TIMING } from '../world/world.ts';
import { median, workerInACall } from './holders.ts';

/** Long enough to distinguish an immediate takeover from a wait for expiry. */
const LEASE_MS = 30_000;
/** Generous, for busy machines; the table shows the measured value. */
const AT_ONCE_MS = 8_000;

/** Runs take long enough that every worker has some when it is stopped. */
const steady: Pace = ({ kind }) => (kind === 'model' ? 120 : 60);

/** For each run released at a shutdown: milliseconds until it was claimed again. */
function waits({ journals }: Evidence): number[] {
  return [...journals.values()].flatMap((journal) =>
    journal.flatMap(({ type, data, timestamp, seq }) => {
      if (type !== 'run.released' || data['cause'] !== 'shutdown') return [];
      const claim = journal.find((entry) => entry.type === 'run.claimed' && entry.seq > seq);
      return claim ? [Date.parse(claim.timestamp) - Date.parse(timestamp)] : [];
    }),
  );
}

function resumeViolations(evidence: Evidence, ends: readonly (readonly [string, ProcessExit | undefined])[]): Violation[] {
  const invariant = 'a graceful stop gives runs back, and they go on at once';
  const slow = waits(evidence).filter((ms) => ms > AT_ONCE_MS);
  const unclean = ends.filter(([, ended]) => ended?.code !== 0);
  return [
    ...slow.map((ms) => ({ invariant, detail: `a run waited ${ms} ms for its next claim` })),
    ...unclean.map(([name, ended]) => ({ invariant, detail: `${name} ended with ${JSON.stringify(ended)}` })),
    ...(takeovers(evidence) > 0 ? [{ invariant, detail: `${takeovers(evidence)} runs had to be taken over` }] : []),
    ...(waits(evidence).length === 0 ? [{ invariant, detail: 'no run was given back, so nothing was shown' }] : []),
  ];
}

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  title: 'SIGTERM and restart of every server and worker under load',
  missing: postgresMissing,
  async run(setting) {
    const [rounds, counts] = setting.scale === 'long' ? [2, { servers: 2, workers: 3 }] : [1, { servers: 1, workers: 2 }];
    const ground = await sharedFleet(counts, { ...TIMING, leaseMs: LEASE_MS });
    return inWorld({ ...setting, name: 'rolling-restart', ground, window: 12 }, async (world) => {
      const { fleet, load } = world;
      const draw = world.chance('restart');
      const ends: (readonly [string, ProcessExit | undefined])[] = [];
      world.ledger.setPace(steady);
      await world.begin();
      load.start(8);
      for (let round = 0; round < rounds; round += 1) {
        for (const name of fleet.names()) {
          load.raise(load.acknowledged.size + 8);
          await new Promise((resolve) => setTimeout(resolve, draw.between(50, 400)));
          await workerInACall(world, { fits: () => true, ...(fleet.isWorker(name) && { among: [name] }) });
          ends.push([name, await fleet.stop(name)]);
          await fleet.start(name);
        }
      }
      await load.reached();
      return world.conclude({
        demands: (evidence) => resumeViolations(evidence, ends),
        note: (evidence) => {
          const all = waits(evidence);
          return `${ends.length} restarts; ${all.length} runs given back, claimed again after ${median(all)} ms (median), ${Math.max(0, ...all)} ms (worst)`;
        },
      });
    });
  },
};
