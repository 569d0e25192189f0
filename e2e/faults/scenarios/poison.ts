// A Task that kills each worker that runs it, among many normal ones: it is dead-lettered, and they succeed.
import type { Evidence, Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import { seededPace, type Pace } from '../world/ledger.ts';
import { postgresMissing, sharedFleet } from '../world/shared-postgres.ts';
import { inWorld, TIMING, type World } from '../world/world.ts';
import { holderOf } from './holders.ts';

const POISON = 'poison-task';
const TAKEOVERS = 3;
/** The worker that runs the poison is killed before the call is answered. */
const NEVER_ANSWERED_MS = 600_000;
/** Longer than the loss of two workers in a row takes: a good run in such a call makes no progress either. */
const LONG_CALL_MS = TIMING.leaseMs * 3;
const LONG_CALL_EVERY = 10;
const LOOK_AGAIN_MS = 30;

function paceOf(seed: number): Pace {
  const mostly = seededPace(seed);
  const seen = new Set<string>();
  return (call) => {
    if (call.task === POISON) return NEVER_ANSWERED_MS;
    const first = !seen.has(call.task);
    seen.add(call.task);
    return first && seen.size % LONG_CALL_EVERY === 0 ? LONG_CALL_MS : mostly(call);
  };
}

/** Kills the holder of the poison at each of its calls and starts it again under its name, as a supervisor would. */
async function killHolders(world: World, ended: () => boolean): Promise<void> {
  const { fleet, ledger } = world;
  const calls = () => ledger.calls.filter(({ task }) => task === POISON).length;
  const starting: Promise<void>[] = [];
  for (let seen = 0; !ended();) {
    const holder = calls() > seen ? await holderOf(world, POISON) : undefined;
    if (holder === undefined || ended()) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      continue;
    }
    seen = calls();
    await fleet.kill(holder);
    starting.push(fleet.start(holder));
  }
  await Promise.all(starting);
}

function givenUp({ tasks, changes }: Evidence, kills: number): Violation[] {
  const invariant = `a run that loses its workers ${TAKEOVERS} times without progress is given up as poisoned, and no other one is`;
  const found = tasks.find(({ name }) => name === POISON);
  const facts = changes.flatMap(({ name, fact }) => (fact?.type === 'task.poisoned' ? [name] : []));
  const problems = [
    ...(found?.status['reason'] === 'poisoned' ? [] : [`its status is ${JSON.stringify(found?.status)}`]),
    ...(kills === TAKEOVERS ? [] : [`it took ${kills} workers with it`]),
    ...(facts.length === 1 && facts[0] === POISON ? [] : [`the facts name ${facts.join(', ') || 'no Task'}`]),
  ];
  return problems.map((detail) => ({ invariant, task: POISON, detail }));
}

export const poison: Scenario = {
  name: 'poison',
  title: `kill -9 of each worker that runs one Task, among good ones: dead-lettered after ${TAKEOVERS} takeovers`,
  missing: postgresMissing,
  async run(setting) {
    const good = setting.scale === 'long' ? 100 : 20;
    const timing = { ...TIMING, takeoversMax: TAKEOVERS };
    const ground = await sharedFleet({ servers: 2, workers: 2 }, timing);
    return inWorld({ ...setting, name: 'poison', ground, window: 24 }, async (world) => {
      const { load, ledger, fleet } = world;
      ledger.setPace(paceOf(setting.seed));
      await world.begin();
      load.start(good);
      const input = { task: POISON, payload: 'none', flaky: 'false', about: 'tides' };
      await load.add({ name: POISON, system: 'chain', flaky: false, poison: true, input });
      await killHolders(world, () => !load.isOpen(POISON));
      await load.reached();
      return world.conclude({
        demands: (evidence) => givenUp(evidence, fleet.kills),
        note: ({ tasks }) => `${tasks.filter(({ status }) => status['phase'] === 'Succeeded').length} good ones succeeded`,
      });
    });
  },
};
