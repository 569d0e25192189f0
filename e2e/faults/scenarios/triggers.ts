// Webhook deliveries and schedules of every minute while servers are killed and stopped and PostgreSQL crashes; on both databases at once.
import { checkTriggers } from '../check/trigger-checks.ts';
import type { Outcome, Scenario, Setting } from '../scenario.ts';
import { postgresMissing, sharedFleet, sharedPostgres } from '../world/shared-postgres.ts';
import { Triggers } from '../world/triggers.ts';
import { embeddedGround, inWorld, TIMING, type Ground, type World } from '../world/world.ts';

/** Tasks beside the triggered ones. */
const TASKS = 4;
const MINUTE_MS = 60_000;
const STILL_MS = TIMING.leaseMs + 1_000;
/** Longest wait for a slot; without it most of the scenario would be waiting. */
const NEAR_MS = 30_000;
const LONG_SLOTS = 4;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const untilNextMinute = () => MINUTE_MS - (Date.now() % MINUTE_MS);

async function kill({ fleet }: World, server: string): Promise<void> {
  await fleet.kill(server);
  await fleet.start(server);
}

async function freeze({ fleet, standstills }: World, server: string): Promise<void> {
  const from = Date.now();
  fleet.process(server)?.signal('SIGSTOP');
  await pause(STILL_MS);
  fleet.process(server)?.signal('SIGCONT');
  standstills.push({ worker: server, from, until: Date.now() });
}

async function crashDatabase(): Promise<void> {
  const database = await sharedPostgres();
  await database.stop('immediate');
  await pause(300);
  await database.start();
}

/** Faults between slots, then one server killed and another one stopped as the next slot comes. */
async function untilAfterSlot(world: World, round: number, faults: readonly ((world: World, server: string) => Promise<void>)[]) {
  const draw = world.chance('faults', round);
  const servers = world.fleet.names('server');
  for (const fault of faults) {
    await pause(draw.between(100, 500));
    await fault(world, draw.pick(servers));
  }
  await pause(untilNextMinute() - draw.between(0, 400));
  const killed = draw.pick(servers);
  const stopped = servers.find((server) => server !== killed);
  await Promise.all([kill(world, killed), stopped === undefined ? undefined : freeze(world, stopped)]);
  await pause(2_000);
}

interface Plan extends Setting {
  readonly name: string;
  readonly ground: Ground;
  readonly faults: readonly ((world: World, server: string) => Promise<void>)[];
}

function runTriggers(plan: Plan): Promise<Outcome> {
  return inWorld({ ...plan, window: TASKS }, async (world) => {
    const triggers = new Triggers({ seed: plan.seed, fleet: world.fleet, load: world.load });
    await world.begin();
    world.load.start(TASKS);
    await triggers.begin();
    for (let round = 0; round < (plan.scale === 'long' ? LONG_SLOTS : 1); round += 1) await untilAfterSlot(world, round, plan.faults);
    const triggered = await triggers.end();
    const { events, answers, deliveries } = triggered;
    const repeated = answers.filter(({ duplicate }) => duplicate).length;
    return world.conclude({
      demands: ({ tasks }) => checkTriggers({ ...triggered, tasks }),
      note: ({ tasks }) => {
        const slots = tasks.filter(({ labels }) => labels['svc.dev/task-schedule'] !== undefined).length;
        return `${plan.name}: ${events.length} events in ${deliveries} deliveries, ${repeated} answered as duplicates; ${slots} slots`;
      },
    });
  });
}

function together([left, right]: readonly [Outcome, Outcome]): Outcome {
  return {
    tasks: left.tasks + right.tasks,
    kills: left.kills + right.kills,
    takeovers: left.takeovers + right.takeovers,
    repeated: left.repeated + right.repeated,
    note: `${left.note}; ${right.note}`,
    violations: [...left.violations, ...right.violations],
    context: (violation) => (left.violations.includes(violation) ? left : right).context(violation),
  };
}

export const triggers: Scenario = {
  name: 'triggers',
  title: 'deliveries of webhooks and slots of schedules through killed and stopped servers and a crash of PostgreSQL',
  missing: postgresMissing,
  async run(setting) {
    const ground = await sharedFleet({ servers: 3, workers: 2 });
    await pause(untilNextMinute() - NEAR_MS);
    const shared = { ...setting, name: 'triggers-shared', ground, faults: [kill, freeze, crashDatabase] };
    const embedded = { ...setting, name: 'triggers-embedded', ground: embeddedGround(), faults: [kill, freeze] };
    const running = [runTriggers(shared), runTriggers(embedded)] as const;
    // A failure of one does not leave the other one running behind the next scenario.
    await Promise.allSettled(running);
    return together(await Promise.all(running));
  },
};
