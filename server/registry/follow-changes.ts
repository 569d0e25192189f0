// Follows the change log from a seq onwards: from memory when possible, from the store when behind. Never skips a change unnoticed.
import type { Change, StoreReader } from '../store/store.ts';
import type { TailHold } from './change-tail.ts';

/** Changes handed on at once. */
const BATCH_MAX = 256;

export interface ChangeFilter {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface Following {
  readonly store: StoreReader;
  readonly hold: TailHold;
  readonly filter: ChangeFilter;
  readonly signal: AbortSignal;
}

/** Yields non-empty batches of the changes after `after` that pass the filter. Returns `lost` when the log no longer reaches back to where it stands, `ended` on abort. */
export async function* followChanges(
  { store, hold, filter, signal }: Following,
  after: number,
): AsyncGenerator<readonly Change[], 'lost' | 'ended'> {
  let seq = after;
  while (!signal.aborted) {
    const recent = hold.read(seq, BATCH_MAX);
    if (recent === undefined) {
      const read = await readLog(store, filter, { after: seq, through: hold.head });
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
  const { kind, namespace, name } = filter;
  const changes = await store.readChanges({
    after,
    limit: BATCH_MAX,
    ...(kind !== undefined && { kind }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  });
  // Asked after the read: what is retained now was retained then, so nothing can have vanished from under it.
  const { oldest } = await store.changeBounds();
  if (oldest > after + 1) return undefined;
  const last = changes.at(-1)?.seq ?? after;
  return { changes, seq: changes.length < BATCH_MAX ? Math.max(last, through) : last };
}

/** A cursor is good when every change after it is still there; one from the future belongs to another store. */
export async function isRetained(store: StoreReader, since: number): Promise<boolean> {
  const { head, oldest } = await store.changeBounds();
  return since <= head && oldest <= since + 1;
}

function passes({ kind, namespace, name }: ChangeFilter, change: Change): boolean {
  return (
    (kind === undefined || change.kind === kind) &&
    (namespace === undefined || change.namespace === namespace) &&
    (name === undefined || change.name === name)
  );
}
