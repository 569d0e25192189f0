// One scenario's world: ledger, processes, load and watchers, set up together, and at the end drained, read, checked and removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../server/clock.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import type { JournalEntry, Store } from '../../../server/store/store.ts';
import { lateCalls, repeatedCalls } from '../check/call-checks.ts';
import { readStore, type Evidence, type Standstill, type StoreEvidence, type Violation, type WatchEvidence } from '../check/evidence.ts';
import { checkInvariants } from '../check/invariants.ts';
import { readRun } from '../check/run-record.ts';
import { isTerminal } from '../check/task-checks.ts';
import type { Outcome, Setting } from '../scenario.ts';
import { randomStream, type RandomStream } from './random.ts';
import { embeddedMembers, Fleet, type Member, type Timing } from './fleet.ts';
import { seededPace, startLedger, type Ledger } from './ledger.ts';
import { atExit } from './cleanup.ts';
import { Load } from './load.ts';
import { declarations } from './play.ts';
import { WatchClient } from './watch-client.ts';

export interface Ground {
  readonly members: readonly Member[];
  /** Opens the store once all processes have ended. */
  readonly openStore: () => Promise<Store>;
  /** Removes all resources of the scenario. */
  readonly remove: () => Promise<void>;
}

export interface WorldOptions extends Setting {
  readonly name: string;
  readonly ground: Ground;
  /** Tasks open at once. */
  readonly window?: number;
}

export interface World {
  readonly fleet: Fleet;
  readonly load: Load;
  readonly ledger: Ledger;
  readonly events: WatchClient;
  readonly standstills: Standstill[];
  chance(...what: (string | number)[]): RandomStream;
  /** Starts all processes, declares the systems, begins to watch. */
  begin(): Promise<void>;
  /** Declares the systems, as soon as a server accepts them, and begins to watch; for scenarios that start the processes themselves. */
  declare(): Promise<void>;
  /** Waits for the end of all Tasks, ends the processes, and checks everything. `note` is called last. */
  conclude(options?: Conclusion): Promise<Outcome>;
}

interface Conclusion {
  readonly note?: (evidence: Evidence) => string;
  /** Demands of this scenario beyond the invariants. */
  readonly demands?: (evidence: Evidence) => Violation[];
}

/** Every Task has ended this long after the last fault. */
const DRAIN_MAX_MS = 90_000;
/** Ends hanging waits only, on a machine however busy. */
const SHORT_MAX_MS = 240_000;
const LONG_MAX_MS = 480_000;
const CATCH_UP_MAX_MS = 10_000;

/**
 * Short leases, so that a takeover takes seconds. Kills by the suite do not count against the runs, however often they hit one in a row.
 */
export const TIMING: Timing = { leaseMs: 2_000, heartbeatMs: 400, tasksAtOnce: 16, takeoversMax: 0 };

/** One svcd on a data directory of its own, by default a new temporary one. */
export function embeddedGround(timing: Timing = TIMING, given?: string): Ground {
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'svc-faults-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const forget = atExit(remove);
  return {
    members: embeddedMembers(dataDir, timing),
    openStore: () => openSqliteStore({ path: join(dataDir, 'svc.db'), clock: systemClock }),
    remove: async () => {
      remove();
      forget();
    },
  };
}

/** Runs `body` in a world and removes everything afterwards, whatever happens. */
export async function inWorld(options: WorldOptions, body: (world: World) => Promise<Outcome>): Promise<Outcome> {
  const { seed, name, ground } = options;
  const ledger = await startLedger(seededPace(seed));
  const fleet = new Fleet(ground.members);
  const load = new Load({ seed, fleet, prefix: name, window: options.window ?? 24 });
  const watchChance = randomStream(seed, name, 'watch');
  const url = () => fleet.pickUrl(watchChance);
  const events = new WatchClient({ path: '/v1/events/watch', event: 'event', url });
  const taskWatch = new WatchClient({
    path: '/v1/tasks/watch',
    event: 'resource',
    url,
    onItem: ({ data }) => noteEnd(load, data),
  });
  const standstills: Standstill[] = [];
  const world: World = {
    fleet,
    load,
    ledger,
    events,
    standstills,
    chance: (...what) => randomStream(seed, name, ...what),
    async begin() {
      await fleet.startAll();
      await world.declare();
    },
    async declare() {
      await load.put('/v1/apply', declarations({ model: ledger.modelUrl, tool: ledger.toolUrl }));
      events.start();
      taskWatch.start();
    },
    async conclude(conclusion = {}) {
      await load.finish();
      const began = Date.now();
      const drained = await load.drained(DRAIN_MAX_MS);
      if (!drained) options.say(`${name}: ${load.openCount} tasks have not ended after ${Date.now() - began} ms`);
      const head = await headOf(fleet);
      await events.caughtUp(head, CATCH_UP_MAX_MS);
      const taskHead = lastTaskSeq(events);
      await taskWatch.caughtUp(taskHead, CATCH_UP_MAX_MS);
      const tails = fleet.tails();
      await fleet.stopAll();
      await Promise.all([events.stop(), taskWatch.stop()]);
      const stored = await evidenceOf(ground);
      const { acknowledged, sent } = load;
      const watches = { events: seenBy(events, head), taskWatch: seenBy(taskWatch, taskHead) };
      const evidence: Evidence = { ...stored, ...watches, acknowledged, sent, calls: ledger.calls, standstills };
      return outcomeOf(evidence, { kills: fleet.kills, tails, ...conclusion });
    },
  };
  const limit = deadline(options.scale === 'long' ? LONG_MAX_MS : SHORT_MAX_MS, () => `${progressOf(fleet, load)}\n${fleet.tails()}`);
  try {
    return await Promise.race([body(world), fleet.unexpectedEnd, limit.passed]);
  } finally {
    limit.clear();
    load.giveUp();
    await Promise.all([fleet.endAll(), events.stop(), taskWatch.stop()]);
    await ledger.close();
    await ground.remove();
  }
}

function progressOf(fleet: Fleet, load: Load): string {
  return `${load.acknowledged.size} of ${load.goal} tasks acknowledged, ${load.openCount} open, ${fleet.kills} kills`;
}

/** A scenario that times out names its condition. */
function deadline(ms: number, tails: () => string): { readonly passed: Promise<never>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the scenario has not ended after ${ms / 1000} s\n${tails()}`)), ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

function noteEnd(load: Load, data: Readonly<Record<string, unknown>>): void {
  const { name, resource } = data as { name: string; resource?: { status?: { phase?: string } } };
  if (isTerminal(resource?.status?.phase)) load.ended(name);
}

/** The newest change, as a server reports it. */
async function headOf(fleet: Fleet): Promise<number> {
  const [url] = fleet.urls();
  if (url === undefined) return 0;
  const page = (await (await fetch(`${url}/v1/events?limit=1&sort=-createdAt`)).json()) as { items?: { id: string }[] };
  return Number(page.items?.[0]?.id ?? 0);
}

function lastTaskSeq(events: WatchClient): number {
  const of = ({ data }: { data: Readonly<Record<string, unknown>> }) =>
    data['kind'] === 'Task' && String(data['type']).startsWith('resource.');
  return events.items.findLast(of)?.seq ?? 0;
}

const seenBy = ({ items, surprises }: WatchClient, mustReach: number): WatchEvidence => ({ items, surprises, mustReach });

async function evidenceOf(ground: Ground): Promise<StoreEvidence> {
  const store = await ground.openStore();
  try {
    return await readStore(store);
  } finally {
    await store.close();
  }
}

interface Rest extends Conclusion {
  readonly kills: number;
  readonly tails: string;
}

function outcomeOf(evidence: Evidence, { kills, tails, note, demands }: Rest): Outcome {
  const late = lateCalls(evidence);
  const notes = [note?.(evidence) ?? '', late > 0 ? `${late} late calls of a woken worker` : ''];
  return {
    tasks: evidence.tasks.length,
    kills,
    takeovers: takeovers(evidence),
    repeated: repeatedCalls(evidence),
    note: notes.filter((text) => text !== '').join('; '),
    violations: [...checkInvariants(evidence), ...(demands?.(evidence) ?? [])],
    context: (violation) => contextOf(evidence, violation, tails),
  };
}

export function takeovers({ journals }: Pick<Evidence, 'journals'>): number {
  return [...journals.values()].flatMap((journal) => readRun(journal).claims).filter(({ takeover }) => takeover).length;
}

const LINE_MAX_CHARS = 240;

function contextOf(evidence: Evidence, { task }: Violation, tails: string): string {
  const stored = evidence.tasks.find(({ name }) => name === task);
  const lines = (stored ? (evidence.journals.get(stored.uid) ?? []) : []).map(journalLine);
  const calls = evidence.calls.filter((call) => call.task === task).map((call) => JSON.stringify(call));
  const part = (title: string, text: string) => (text === '' ? [] : [title, text]);
  return [
    ...part(`journal of ${task}:`, lines.join('\n')),
    ...part(`ledger of ${task}:`, calls.join('\n')),
    ...part('processes:', tails),
  ].join('\n');
}

function journalLine({ seq, timestamp, type, data }: JournalEntry): string {
  return `${String(seq).padStart(4)} ${timestamp} ${type} ${JSON.stringify(data).slice(0, LINE_MAX_CHARS)}`;
}
