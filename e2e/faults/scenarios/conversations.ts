// 20 Sessions talk while workers are killed and stopped past their lease, and PostgreSQL crashes and returns.
import { checkSessions, readSessions } from '../check/session-checks.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import { hash32 } from '../world/random.ts';
import type { Pace } from '../world/ledger.ts';
import { postgresMissing, sharedFleet, sharedPostgres } from '../world/shared-postgres.ts';
import { SessionClients } from '../world/session-clients.ts';
import { inWorld, TIMING, type Ground, type World } from '../world/world.ts';

const SESSIONS = 20;
/** Tasks beside the turns. */
const TASKS = 4;
const STILL_MS = TIMING.leaseMs + 1_000;

/** Answers take long enough that faults meet them in their middle. */
const pace =
  (seed: number): Pace =>
  ({ kind, requestId, number }) =>
    (kind === 'tool' ? 20 : 150) + (hash32(seed, requestId, number) % 250);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function kill({ fleet }: World, worker: string): Promise<void> {
  await fleet.kill(worker);
  await fleet.start(worker);
}

async function freeze({ fleet, standstills }: World, worker: string): Promise<void> {
  const from = Date.now();
  fleet.process(worker)?.signal('SIGSTOP');
  await pause(STILL_MS);
  const until = Date.now();
  fleet.process(worker)?.signal('SIGCONT');
  standstills.push({ worker, from, until });
}

async function crashDatabase(): Promise<void> {
  const database = await sharedPostgres();
  await database.stop('immediate');
  await pause(300);
  await database.start();
}

/** One fault while every Session talks. */
async function faultDuring(world: World, clients: SessionClients, fault: () => Promise<void>): Promise<void> {
  const talk = clients.talk(2);
  talk.catch(() => undefined);
  await pause(world.chance('fault').between(200, 600));
  await fault();
  await talk;
}

async function withSessions(outcome: Outcome, ground: Ground, clients: SessionClients): Promise<Outcome> {
  const store = await ground.openStore();
  try {
    const sessions = await readSessions(store, await clients.end());
    const turns = sessions.reduce((sum, { contents }) => sum + contents.length, 0);
    const violations = [...outcome.violations, ...checkSessions(sessions)];
    const lost = sessions.flatMap(({ events }) => events.filter(({ type }) => type === 'turn.retrying')).length;
    return { ...outcome, note: `${turns} turns of ${sessions.length} Sessions, ${lost} continued by another worker`, violations };
  } finally {
    await store.close();
  }
}

export const conversations: Scenario = {
  name: 'conversations',
  title: `${SESSIONS} Sessions talk through a killed worker, a stopped worker and a crash of PostgreSQL`,
  missing: postgresMissing,
  async run(setting) {
    const rounds = setting.scale === 'long' ? 2 : 1;
    const ground = await sharedFleet({ servers: 2, workers: 2 });
    return inWorld({ ...setting, name: 'conversations', ground }, async (world) => {
      const { fleet, load, ledger } = world;
      const clients = new SessionClients({ seed: setting.seed, fleet, sessions: SESSIONS });
      ledger.setPace(pace(setting.seed));
      await world.begin();
      load.start(TASKS);
      await clients.begin();
      for (let round = 0; round < rounds; round += 1) {
        const worker = world.chance('worker', round).pick(fleet.names('worker'));
        await faultDuring(world, clients, () => kill(world, worker));
        await faultDuring(world, clients, () => freeze(world, worker));
        await faultDuring(world, clients, crashDatabase);
      }
      await load.reached();
      return withSessions(await world.conclude(), ground, clients);
    });
  },
};
