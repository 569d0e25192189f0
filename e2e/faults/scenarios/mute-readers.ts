// Two hundred clients request large answers and read nothing, while Tasks run and others read: the server's memory stays bounded, and all
// others are served.
import { muteRequests, muteSockets, peakMemoryMb, resetPeakMemory, type MuteClients } from '../../../server/testing/mute-clients.ts';
import type { Violation } from '../check/evidence.ts';
import type { Scenario } from '../scenario.ts';
import { embeddedGround, inWorld, type World } from '../world/world.ts';

const AGENTS = 8;
const PROMPT = 'x'.repeat(1_000_000);
/** Limit for the growth of the process's memory, whatever the clients request. */
const GROWTH_MAX_MB = 600;
const LISTS = 110;
const WATCHES = 50;
const SOCKETS = 40;
const CALLS_OF_A_SOCKET = 5;

const agent = (n: number) => ({ kind: 'Agent', metadata: { name: `fat-${n}` }, spec: { model_ref: 'mock', prompt: PROMPT } });
const call = (id: number) => ({ id, method: 'query', params: { path: 'resources.list', input: { kind: 'Agent', limit: 1000 } } });
const follow = { id: 1_000, method: 'subscription', params: { path: 'live.changes', input: {} } };

async function attack(url: string): Promise<MuteClients[]> {
  const messages = [follow, ...Array.from({ length: CALLS_OF_A_SOCKET }, (_, id) => call(id))];
  return Promise.all([
    muteRequests(url, '/v1/agents', { clients: LISTS }),
    muteRequests(url, '/v1/agents/watch', { clients: WATCHES }),
    muteSockets(url, messages, SOCKETS),
  ]);
}

/** Requests of other clients that got a wrong answer. */
async function readAlong(url: string, rounds: number): Promise<string[]> {
  const faults: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const path of ['/healthz', '/v1/agent-systems?limit=10', '/v1/tasks?limit=10']) {
      const response = await fetch(`${url}${path}`);
      await response.arrayBuffer();
      if (response.status !== 200) faults.push(`GET ${path} was answered with ${response.status}`);
    }
  }
  return faults;
}

function violations(faults: readonly string[], grownMb: number): Violation[] {
  const unserved = faults.map((detail): Violation => ({ invariant: 'others are served while clients do not read', detail }));
  if (grownMb <= GROWTH_MAX_MB) return unserved;
  return [...unserved, { invariant: 'clients that do not read cannot fill memory', detail: `it grew by ${grownMb.toFixed(0)} MB` }];
}

async function besideMuteClients({ load }: World, server: { url: string; pid: number }, rounds: number) {
  resetPeakMemory(server.pid);
  const before = peakMemoryMb(server.pid);
  const clients = await attack(server.url);
  const reading = readAlong(server.url, rounds);
  await load.reached();
  const faults = await reading;
  for (const each of clients) each.close();
  return { faults, grownMb: peakMemoryMb(server.pid) - before };
}

export const muteReaders: Scenario = {
  name: 'mute-readers',
  title: '200 clients that read nothing of lists, watches and subscriptions, beside Tasks and other readers',
  missing: async () => undefined,
  async run(setting) {
    const [tasks, rounds] = setting.scale === 'long' ? [200, 60] : [10, 10];
    return inWorld({ ...setting, name: 'mute-readers', ground: embeddedGround() }, async (world) => {
      const { fleet, load } = world;
      await world.begin();
      const [url = ''] = fleet.urls();
      const pid = fleet.process('server')?.pid ?? 0;
      for (let n = 0; n < AGENTS; n += 1) await load.put('/v1/agents', agent(n));
      load.start(tasks);
      const { faults, grownMb } = await besideMuteClients(world, { url, pid }, rounds);
      return world.conclude({
        note: () => `${LISTS + WATCHES + SOCKETS} clients that read nothing, memory grew by ${grownMb.toFixed(0)} MB`,
        demands: () => violations(faults, grownMb),
      });
    });
  },
};
