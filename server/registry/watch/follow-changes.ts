// Follows the change log from a seq onwards: from memory when possible, from the store when behind. Never skips a change unnoticed.
import { PORTION_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Change, ChangePage, StoreReader } from '../../store/store.ts';
import type { TailHold } from './change-tail.ts';
import type { TakeTurn } from './watch.ts';

/** Changes handed on at once. */
const BATCH_MAX = 256;

export interface ChangeFilter {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Kinds that pass whatever their namespace. */
  readonly everywhere?: readonly string[] | undefined;
}

export interface Following {
  readonly store: StoreReader;
  readonly hold: TailHold;
  readonly filter: ChangeFilter;
  readonly signal: AbortSignal;
  readonly takeTurn: TakeTurn;
}

/** Yields non-empty batches of the changes after `after` that pass the filter. Returns `lost` when the log no longer reaches back to its position, `ended` on abort. */
export async function* followChanges(
  { store, hold, filter, signal, takeTurn }: Following,
  after: number,
): AsyncGenerator<readonly Change[], 'lost' | 'ended'> {
  let seq = after;
  while (!signal.aborted) {
    const recent = hold.read(seq, BATCH_MAX);
    if (recent === undefined) {
      const read = await takeTurn(() => readLog(store, filter, { after: seq, through: hold.head }));
      if (!read) return 'lost';
      seq = read.seq;
      if (read.changes.length) yield read.changes;
    } else if (!recent.length) {
      seq = Math.max(seq, await hold.next(filter.kind, signal));
    } else {
      seq = recent.at(-1)?.seq ?? seq;
      const passing = recent.filter((change) => passes(filter, change));
      if (passing.length) yield passing;
    }
  }
  return 'ended';
}

export interface LogRead {
  readonly changes: readonly Change[];
  /** Every passing change up to here has been read. */
  readonly seq: number;
}

/** Reads a batch of passing changes after `after`; `through` is a seq known to be committed. Undefined when changes after `after` have been pruned. */
export async function readLog(
  store: StoreReader,
  filter: ChangeFilter,
  { after, through }: { after: number; through: number },
): Promise<LogRead | undefined> {
  const reads = await Promise.all(
    rangesOf(filter).map((range) => store.readChangePage({ ...range, after, limit: BATCH_MAX }, PORTION_MAX_BYTES)),
  );
  // Asked after the read: what is retained now was retained then, so nothing can have vanished from under it.
  const { oldest } = await store.changeBounds();
  if (oldest > after + 1) return undefined;
  const [only] = reads;
  if (only && reads.length === 1)
    return { changes: only.changes, seq: reachOf(only, Math.max(only.changes.at(-1)?.seq ?? after, through)) };
  // One range may have been read before a commit and another after it: only changes committed before both reads are delivered.
  const seq = Math.max(after, Math.min(...reads.map((read) => reachOf(read, through)), through));
  const merged = new Map(reads.flatMap(({ changes }) => changes).map((change) => [change.seq, change]));
  return { changes: [...merged.values()].filter((change) => change.seq <= seq).sort((a, b) => a.seq - b.seq), seq };
}

/** How far a range was read: to its end, which was at least at `end`, or as far as a batch goes. */
function reachOf({ changes, full }: ChangePage, end: number): number {
  return !full && changes.length < BATCH_MAX ? end : (changes.at(-1)?.seq ?? end);
}

interface LogRange {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The ranges of the log's indexes that hold what passes. */
function rangesOf({ kind, namespace, name, everywhere = [] }: ChangeFilter): LogRange[] {
  const named = name === undefined ? {} : { name };
  const own = { ...named, ...(kind !== undefined && { kind }), ...(namespace !== undefined && { namespace }) };
  const beside = namespace === undefined ? [] : everywhere.filter((each) => kind === undefined || each === kind);
  return [own, ...beside.map((each) => ({ ...named, kind: each }))];
}

/** A cursor is good when every change after it is still there; one from the future belongs to another store. */
export async function isRetained(store: StoreReader, since: number): Promise<boolean> {
  const { head, oldest } = await store.changeBounds();
  return since <= head && oldest <= since + 1;
}

function passes({ kind, namespace, name, everywhere }: ChangeFilter, change: Change): boolean {
  return (
    (kind === undefined || change.kind === kind) &&
    (namespace === undefined || change.namespace === namespace || everywhere?.includes(change.kind) === true) &&
    (name === undefined || change.name === name)
  );
}
