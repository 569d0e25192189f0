// Holders of Tasks, read from a running server or from journals afterwards.
import type { Evidence } from '../check/evidence.ts';
import { readRun, type ClaimRecord } from '../check/run-record.ts';
import type { LedgerCall } from '../world/ledger.ts';
import type { World } from '../world/world.ts';

const LOOK_AGAIN_MS = 30;
const FOUND_WITHIN_MS = 60_000;
/** Ends hanging waits only: a lease expires within seconds. */
const TAKEN_OVER_WITHIN_MS = 60_000;
const WANTED_WITHIN_MS = 5_000;
const MORE_TASKS = 4;

/** Worker that holds a Task now, as a server reports it. */
export async function holderOf(world: World, task: string): Promise<string | undefined> {
  const [url] = world.fleet.urls();
  const response = await fetch(`${url}/v1/tasks/${task}`);
  return ((await response.json()) as { status?: { claimedBy?: string } }).status?.claimedBy;
}

export interface Search {
  readonly fits: (call: LedgerCall) => boolean;
  /** Acceptable workers; all by default. */
  readonly among?: readonly string[];
  /** Wanted number of such calls in flight; fewer are accepted after a while. Default 1. */
  readonly wanted?: number;
}

/** A worker with enough matching calls in flight. */
export async function workerInACall(world: World, { fits, among, wanted = 1 }: Search): Promise<string> {
  const { load } = world;
  const workers = new Set(among ?? world.fleet.names('worker'));
  const began = Date.now();
  for (let waited = 0; waited < FOUND_WITHIN_MS; waited = Date.now() - began) {
    const atLeast = waited < WANTED_WITHIN_MS ? wanted : 1;
    const holders = await Promise.all(
      world.ledger
        .open()
        .filter(fits)
        .map(({ task }) => holderOf(world, task)),
    );
    const found = [...workers].find((worker) => holders.filter((holder) => holder === worker).length >= atLeast);
    if (found !== undefined) return found;
    // The last Tasks may have ended, or moved to other workers: the load continues as long as the search.
    if (load.acknowledged.size >= load.goal) load.raise(load.goal + MORE_TASKS);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error('no worker had such a call under way');
}

/** Tasks with a call in flight that `worker` holds. */
export async function heldBy(world: World, worker: string): Promise<string[]> {
  const tasks = [...new Set(world.ledger.open().map(({ task }) => task))];
  const holders = await Promise.all(tasks.map((task) => holderOf(world, task)));
  return tasks.filter((_, index) => holders[index] === worker);
}

/** Resolves once the dead `worker` holds none of the Tasks: each was taken over, or has ended. Throws after a timeout. */
export async function untilTakenOver(world: World, worker: string, tasks: readonly string[]): Promise<void> {
  const began = Date.now();
  while (Date.now() - began < TAKEN_OVER_WITHIN_MS) {
    const holders = await Promise.all(tasks.map((task) => holderOf(world, task)));
    if (!holders.includes(worker)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`${worker} still held a Task after ${TAKEN_OVER_WITHIN_MS} ms`);
}

export interface Succession {
  readonly task: string;
  readonly next: ClaimRecord;
  /** Milliseconds from the loss of the holder to the next claim. */
  readonly afterMs: number;
}

/** For each Task that `worker` held at the moment `at`: the next claim. */
export function successions({ tasks, journals }: Evidence, worker: string, at: number): Succession[] {
  return tasks.flatMap(({ name, uid }): Succession[] => {
    const journal = journals.get(uid) ?? [];
    const { claims } = readRun(journal);
    const index = claims.findLastIndex((claim) => claim.at <= at);
    const [held, next] = [claims[index], claims[index + 1]];
    if (held?.worker !== worker || !next) return [];
    const given = journal.some(
      ({ type, seq, timestamp }) => type === 'run.released' && seq > held.seq && seq < next.seq && Date.parse(timestamp) <= at,
    );
    return given ? [] : [{ task: name, next, afterMs: next.at - at }];
  });
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
