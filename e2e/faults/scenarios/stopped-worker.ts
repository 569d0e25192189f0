// A worker is stopped (SIGSTOP) in the middle of its calls until its lease has long expired, then continued (SIGCONT): none of its results
// in flight may be recorded.
import type { Evidence, Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import { hash32 } from '../world/random.ts';
import type { LedgerCall, Pace } from '../world/ledger.ts';
import { postgresMissing, sharedFleet } from '../world/shared-postgres.ts';
import { inWorld, TIMING, type World } from '../world/world.ts';
import { successions, workerInACall } from './holders.ts';

/** Tool calls that are answered while the worker is stopped. */
const slowTools =
  (seed: number): Pace =>
  ({ kind, requestId }) =>
    kind === 'tool' ? 600 + (hash32(seed, requestId) % 400) : 5;

/** Beyond the lease and the detection time of others. */
const STILL_MS = TIMING.leaseMs + 1_000;
const FRESH_CALL_MS = 250;
/** Calls that the worker must have in flight when it is stopped. */
const WANTED_CALLS = 3;

async function freeze({ fleet, standstills }: World, worker: string): Promise<void> {
  const from = Date.now();
  fleet.process(worker)?.signal('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, STILL_MS));
  const until = Date.now();
  fleet.process(worker)?.signal('SIGCONT');
  standstills.push({ worker, from, until });
}

/** Answers to calls of before a standstill that are recorded nowhere, also those that a slow machine sent after it. */
function dropped(evidence: Evidence): number {
  const recorded = new Set<number>();
  for (const journal of evidence.journals.values())
    for (const { data } of journal) {
      const match = typeof data['output'] === 'string' ? /"call":(\d+)/.exec(data['output']) : undefined;
      if (match) recorded.add(Number(match[1]));
    }
  const answered = ({ answeredAt, arrivedAt }: Evidence['calls'][number]) =>
    evidence.standstills.some(({ from }) => arrivedAt < from && answeredAt !== undefined && answeredAt >= from);
  return evidence.calls.filter((call) => call.kind === 'tool' && answered(call) && !recorded.has(call.number)).length;
}

/** Proof that the faults took effect: every standstill lost Tasks to other workers, and answers were dropped. */
function tookEffect(evidence: Evidence): Violation[] {
  const invariant = 'a worker that stands still past its lease loses its tasks';
  const idle = evidence.standstills.filter(({ worker, from }) => !successions(evidence, worker, from).some(({ next }) => next.takeover));
  const without = idle.map(({ worker }) => ({ invariant, detail: `nobody took over from ${worker}` }));
  return dropped(evidence) > 0 ? without : [...without, { invariant, detail: 'no answer to the old holder was dropped' }];
}

export const stoppedWorker: Scenario = {
  name: 'stopped-worker',
  title: 'SIGSTOP of a worker past its lease in the middle of calls, then SIGCONT',
  missing: postgresMissing,
  async run(setting) {
    const rounds = setting.scale === 'long' ? 3 : 1;
    const ground = await sharedFleet({ servers: 1, workers: 2 });
    return inWorld({ ...setting, name: 'stopped-worker', ground, window: 10 }, async (world) => {
      const { load, ledger } = world;
      const draw = world.chance('stop');
      ledger.setPace(slowTools(setting.seed));
      await world.begin();
      for (let round = 0; round < rounds; round += 1) {
        if (round === 0) load.start(10);
        else load.raise(load.goal + 10);
        await new Promise((resolve) => setTimeout(resolve, draw.between(0, 400)));
        const fits = ({ kind, arrivedAt }: LedgerCall) => kind === 'tool' && Date.now() - arrivedAt < FRESH_CALL_MS;
        await freeze(world, await workerInACall(world, { fits, wanted: WANTED_CALLS }));
        await load.reached();
      }
      return world.conclude({ demands: tookEffect, note: (evidence) => `${dropped(evidence)} answers to the old holder were dropped` });
    });
  },
};
