// Triggers on a real svcd: signed deliveries, accepted and refused, and schedules by the clock of the machine.
import { createHmac } from 'node:crypto';
import { startServerProcess, type ServerProcess } from '../server/testing/server-process.ts';
import { cpuMs } from './process-usage.ts';
import { perSecond, withReference, type Request } from './rest-load.ts';
import { compared, percentile, type Row } from './row.ts';
import { post, SOLO_SYSTEM, watchTasks } from './task-load.ts';

const SECRET = 'topsecret';
const EVENT = JSON.stringify({ event: 'push', repository: { full_name: 'octo/app' }, text: 'x'.repeat(900) });
const TEMPLATE = { kind: 'Task', metadata: { name: 'template' }, spec: { system: 'one', mode: 'template' } };
const HOOK = [
  { kind: 'Secret', metadata: { name: 'hook' }, spec: { stringData: { value: SECRET } } },
  { kind: 'TaskWebhook', metadata: { name: 'hook' }, spec: { task_ref: 'template', auth: { profile: 'codehost', secret_ref: 'hook' } } },
];

let events = 0;

/** Deliveries of EVENT, each with an id of its own unless it is given. */
function deliveries(url: string, { signature, eventId }: { readonly signature: string; readonly eventId?: string }): Request {
  const path = new URL(url).pathname;
  const id = () => eventId ?? `event-${(events += 1)}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  const setupRequest = (request: object) => ({ ...request, headers: { ...headers, 'x-codehost-delivery': id() } });
  return { url, requests: [{ method: 'POST', path, body: EVENT, setupRequest }] };
}

async function webhookRows(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--embedded-worker=false', '--log-level', 'warn'] });
  try {
    await post(`${server.url}/v1/apply`, [...SOLO_SYSTEM, TEMPLATE, ...HOOK]);
    const { status } = (await (await fetch(`${server.url}/v1/task-webhooks/hook`)).json()) as any;
    const url = `${server.url}${status.endpointPath}`;
    const signature = `sha256=${createHmac('sha256', SECRET).update(EVENT).digest('hex')}`;
    const accepted = await perSecond(deliveries(url, { signature }), 202);
    const duplicates = await perSecond(deliveries(url, { signature, eventId: 'again' }), 202);
    const refused = await perSecond(deliveries(url, { signature: `sha256=${'0'.repeat(64)}` }), 401);
    const reference = await withReference('node', {}, (bare) => perSecond(deliveries(bare, { signature })));
    const row = (name: string, value: number, note: string) =>
      compared({ name, value, unit: 'req/s', reference, referenceName: 'bare node:http', note });
    return [
      row('deliveries accepted, each with its Task (durable)', accepted, 'target at least 1,000'),
      row('deliveries of one event', duplicates, 'one run'),
      row('deliveries refused for their signature', refused, 'target at least 60 %'),
    ];
  } finally {
    await server.dispose();
  }
}

const MINUTE_MS = 60_000;
const FEW = 10;
const FEW_MINUTES = 3;
const ALL = 10_000;
const DUE = 1_000;
/** Documents of one request. */
const APPLIED = 500;
/** Idle time that CPU is counted over. */
const IDLE_MS = 10_000;
/** The minute before its next slot is left alone from here on. */
const LAST_S = 15;

const schedule = (name: string, cron: string, suspend = false) => ({
  kind: 'TaskSchedule',
  metadata: { name },
  spec: { task_ref: 'template', schedule: cron, suspend },
});
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const numbered = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

async function apply({ url }: ServerProcess, documents: readonly object[]): Promise<void> {
  for (let from = 0; from < documents.length; from += APPLIED) await post(`${url}/v1/apply`, documents.slice(from, from + APPLIED));
}

/** Share of one core that the process takes while nothing is due, in percent. */
async function idleCpu({ pid }: ServerProcess): Promise<number> {
  const before = cpuMs(pid);
  await pause(IDLE_MS);
  return ((cpuMs(pid) - before) / IDLE_MS) * 100;
}

/** Leaves time for what is due before the next minute begins. */
async function earlyInMinute(): Promise<void> {
  const into = Date.now() % MINUTE_MS;
  if (into > MINUTE_MS - LAST_S * 1000) await pause(MINUTE_MS - into);
}

interface Claims {
  /** Names of the schedules begin with it. */
  readonly prefix: string;
  readonly count: number;
  readonly start: () => Promise<void>;
}

/** Resolves once `count` runs of the schedules have been claimed. */
async function untilClaimed({ url }: ServerProcess, { prefix, count, start }: Claims): Promise<void> {
  const abort = new AbortController();
  const seen = new Set<string>();
  let done = () => {};
  const all = new Promise<void>((resolve) => (done = resolve));
  const onTask: Parameters<typeof watchTasks>[1] = ({ name, resource: { status } }) => {
    if (name.startsWith(prefix) && status.phase !== 'Pending' && seen.add(name).size === count) done();
  };
  await watchTasks(url, onTask, abort.signal);
  await start();
  const timer = setTimeout(done, (FEW_MINUTES + 2) * MINUTE_MS);
  await all;
  clearTimeout(timer);
  abort.abort();
  if (seen.size < count) throw new Error(`${seen.size} of ${count} runs were claimed`);
}

interface EventPage {
  readonly items: readonly { readonly name: string; readonly timestamp: string }[];
  readonly continue?: string;
}

/** Times from a slot, which the name of the run holds, to the claim of the run, by the server's clock. */
async function claimDelays(server: ServerProcess, claims: Claims): Promise<number[]> {
  await untilClaimed(server, claims);
  const delays: number[] = [];
  let after: string | undefined;
  do {
    const query = `type=task.claimed&limit=1000${after === undefined ? '' : `&after=${after}`}`;
    const page = (await (await fetch(`${server.url}/v1/events?${query}`)).json()) as EventPage;
    for (const { name, timestamp } of page.items) {
      const [, year, month, day, hour, minute] = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)$/.exec(name) ?? [];
      const slot = `${year}-${month}-${day}T${hour}:${minute}:00Z`;
      if (name.startsWith(claims.prefix)) delays.push(Date.parse(timestamp) - Date.parse(slot));
    }
    after = page.continue;
  } while (after !== undefined);
  return delays;
}

async function scheduleRows(): Promise<Row[]> {
  const server = await startServerProcess({ args: ['--log-level', 'warn'] });
  try {
    await apply(server, [...SOLO_SYSTEM, TEMPLATE]);
    const bare = await idleCpu(server);
    const few = numbered(FEW, (n) => `few-${n}`);
    const startOf = (names: readonly string[]) => async () => {
      await earlyInMinute();
      await apply(
        server,
        names.map((name) => schedule(name, '* * * * *')),
      );
    };
    const alone = await claimDelays(server, { prefix: 'few-', count: FEW * FEW_MINUTES, start: startOf(few) });
    await apply(
      server,
      few.map((name) => schedule(name, '* * * * *', true)),
    );
    await apply(
      server,
      numbered(ALL - DUE, (n) => schedule(`rare-${n}`, '0 0 1 1 *')),
    );
    const due = numbered(DUE, (n) => `due-${n}`);
    const many = await claimDelays(server, { prefix: 'due-', count: DUE, start: startOf(due) });
    await apply(
      server,
      due.map((name) => schedule(name, '* * * * *', true)),
    );
    await pause(IDLE_MS);
    const full = await idleCpu(server);
    const name = `slot → Task claimed, ${FEW} schedules at once`;
    return [
      { name: `${name}, p50`, value: percentile(alone, 50), unit: 'ms' },
      { name: `${name}, p99`, value: percentile(alone, 99), unit: 'ms', note: 'target at most 100' },
      {
        name: `slot → last of ${DUE.toLocaleString('en')} Tasks claimed`,
        value: Math.max(...many) / 1000,
        unit: 's',
        note: `${ALL.toLocaleString('en')} schedules; target at most 60`,
      },
      compared({
        name: `idle CPU with ${ALL.toLocaleString('en')} schedules`,
        value: full,
        unit: '%',
        reference: bare,
        referenceName: 'without schedules',
      }),
    ];
  } finally {
    await server.dispose();
  }
}

export async function benchTriggers(): Promise<Row[]> {
  return [...(await webhookRows()), ...(await scheduleRows())];
}
