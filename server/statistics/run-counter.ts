// Counts runs from the change log. One process of all does it: each stretch of the log is counted in one transaction with the cursor
// behind it, under the leader's claim, so that nothing is counted twice and, while the log reaches back, nothing is missed.
import type { Clock } from '../clock.ts';
import { timestamp } from '../clock.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Change, Claim, Store, StoredObject } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { createWakeUp } from '../wake-up.ts';
import { addCounted, dropTallies, readCursor } from './records.ts';
import type { CountingCursor } from './records.ts';
import { factsWithoutState, hourOf, tallyChanges } from './tally.ts';

/** Hours kept: 31 days. */
export const HOURS_KEPT = 744;

const HOUR_MS = 3_600_000;
/** Changes of one transaction: reading them blocks the event loop for a few milliseconds. */
const BATCH = 250;
/** Changes of one Task that are read at once for the state before a fact. */
const STATE_BATCH = 20;
/** Changes with nothing to count after which the cursor is moved, so that pruning does not overtake it. */
const IDLE_CHANGES = 2_000;
/** Commits within this time are counted together. */
const SPACING_MS = 1_000;
/** Interval of reads without a commit notice. */
const SAFETY_POLL_MS = 30_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

export interface RunCounterOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Claim of the current leader. */
  readonly claim: Claim;
  /** Called for reads that failed; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export interface RunCounter {
  start(): void;
  /** Resolves when a count in flight has ended. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Counts all there is. */
  runOnce(): Promise<void>;
}

/** A stretch of the log. */
interface Stretch {
  readonly changes: readonly Change[];
  /** Every Task's change up to here has been read. */
  readonly through: number;
  /** When the oldest change that is left was made, if the log was pruned past `from`. */
  readonly lostUntil: string | undefined;
}

export function createRunCounter({ store, clock, claim, reportError }: RunCounterOptions): RunCounter {
  let droppedIn: string | undefined;
  let announced = 0;
  let unsubscribe: (() => void) | undefined;

  const runOnce = async (stopped?: AbortSignal): Promise<void> => {
    while (!stopped?.aborted && (await countStretch({ store, clock, claim })));
    const hour = hourOf(timestamp(clock.now()));
    if (hour === droppedIn) return;
    await dropTallies(store, hourOf(timestamp(clock.now() - HOURS_KEPT * HOUR_MS)));
    droppedIn = hour;
  };
  const tick = async (stopped: AbortSignal): Promise<undefined> => {
    // The next term's leader continues.
    await runOnce(stopped).catch((error: unknown) => (error instanceof LeaseLost ? undefined : Promise.reject(error as Error)));
  };
  const pace = { pollMs: SAFETY_POLL_MS, spacingMs: () => SPACING_MS, retryMs: RETRY_MS, retryMaxMs: RETRY_MAX_MS };
  const loop = createWakeUp({ clock, tick, ...pace, onError: reportError });
  return {
    start() {
      unsubscribe ??= store.onCommit(({ head }) => {
        if (head <= announced) return;
        announced = head;
        loop.now();
      });
      loop.start();
    },
    stop() {
      unsubscribe?.();
      return loop.stop();
    },
    runOnce: () => runOnce(),
  };
}

type Counting = Pick<RunCounterOptions, 'store' | 'clock' | 'claim'>;

/** True when there is more. */
async function countStretch({ store, clock, claim }: Counting): Promise<boolean> {
  const from = await readCursor(store);
  const start = await startAfter(store, from);
  const { changes, through, lostUntil } = await readStretch(store, start);
  const tallies = tallyChanges(changes, await statesBefore(store, changes));
  const more = changes.length >= BATCH;
  const idle = from !== undefined && tallies.size === 0 && lostUntil === undefined && start === from.seq;
  if (idle && !more && through - from.seq < IDLE_CHANGES) return false;
  const now = timestamp(clock.now());
  const countedSince = from?.countedSince ?? lostUntil ?? changes[0]?.timestamp ?? now;
  const to: CountingCursor = {
    ...from,
    countedSince,
    // An older version counted no systems.
    systemsSince: from ? (from.systemsSince ?? now) : countedSince,
    seq: through,
    at: now,
    ...(from && lostUntil !== undefined && gap(from, lostUntil)),
  };
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    await addCounted(tx, { from, to, tallies });
  });
  return more;
}

/** Start of the next read. Without a cursor, the whole log is counted. A cursor beyond the head belongs to a log that was restored from a backup: only later changes are counted. */
async function startAfter(store: Store, from: CountingCursor | undefined): Promise<number> {
  const { head, oldest } = await store.changeBounds();
  return from ? Math.min(from.seq, head) : oldest - 1;
}

async function readStretch(store: Store, start: number): Promise<Stretch> {
  const { head } = await store.changeBounds();
  const changes = await store.readChanges({ kind: 'Task', after: start, limit: BATCH });
  // Asked after the read: what is retained now was retained then.
  const { oldest } = await store.changeBounds();
  const last = changes.at(-1)?.seq ?? start;
  // Changes that arrived since the head was read may be among these.
  const through = changes.length < BATCH ? Math.max(head, last) : last;
  if (oldest <= start + 1) return { changes, through, lostUntil: undefined };
  const [first] = await store.readChanges({ after: oldest - 1, limit: 1 });
  return { changes, through: Math.max(through, oldest - 1), lostUntil: first?.timestamp };
}

/** States of Tasks whose first fact in this stretch has its state in an earlier one: other changes may stand between the two. */
async function statesBefore(store: Store, changes: readonly Change[]): Promise<StoredObject[]> {
  const states: StoredObject[] = [];
  for (const fact of factsWithoutState(changes)) {
    const state = await stateBefore(store, fact);
    if (state) states.push(state);
  }
  return states;
}

async function stateBefore(store: Store, { namespace, name, seq }: Change): Promise<StoredObject | undefined> {
  for (let before = seq; ;) {
    const page = await store.readChanges({ kind: 'Task', namespace, name, after: before, descending: true, limit: STATE_BATCH });
    const state = page.find(({ object }) => object)?.object;
    const last = page.at(-1);
    if (state || !last || page.length < STATE_BATCH) return state;
    before = last.seq;
  }
}

/** Merges gaps that follow each other closely. */
function gap({ at, gapSince, gapUntil }: CountingCursor, until: string): Pick<CountingCursor, 'gapSince' | 'gapUntil'> {
  const joined = gapSince !== undefined && gapUntil !== undefined && Date.parse(at) - Date.parse(gapUntil) < HOURS_KEPT * HOUR_MS;
  return { gapSince: joined ? gapSince : at, gapUntil: until };
}
