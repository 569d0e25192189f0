// Who holds which Task: asked of a running server, or read from journals afterwards.
import type { Evidence } from '../check/evidence.ts';
import { readRun, type ClaimRecord } from '../check/run-record.ts';
import type { LedgerCall } from '../world/ledger.ts';
import type { World } from '../world/world.ts';

const LOOK_AGAIN_MS = 30;
const FOUND_WITHIN_MS = 20_000;

async function holderOf(world: World, task: string): Promise<string | undefined> {
  const [url] = world.fleet.urls();
  const response = await fetch(`${url}/v1/tasks/${task}`);
  return ((await response.json()) as { status?: { claimedBy?: string } }).status?.claimedBy;
}

/** One of `among` (all workers by default) that has a call under way which fits. */
export async function workerInACall(world: World, fits: (call: LedgerCall) => boolean, among?: readonly string[]): Promise<string> {
  const workers = new Set(among ?? world.fleet.names('worker'));
  const deadline = Date.now() + FOUND_WITHIN_MS;
  while (Date.now() < deadline) {
    for (const { task } of world.ledger.open().filter(fits)) {
      const holder = await holderOf(world, task);
      if (holder !== undefined && workers.has(holder)) return holder;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error('no worker had such a call under way');
}

export interface Succession {
  readonly task: string;
  readonly next: ClaimRecord;
  /** Milliseconds from the loss of the holder to the next claim. */
  readonly afterMs: number;
}

/** For each Task that `worker` held at the moment `at`: the claim that came next. */
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
