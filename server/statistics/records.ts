// Stored data of run statistics: counts per hour and scope, and the cursor in the change log.
import { ServiceError } from '@svc/shared/errors';
import { Collection } from '../store/collection.ts';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';
import { addTallies, EMPTY_TALLY, tallyId } from './tally.ts';
import type { Tally } from './tally.ts';

const TALLIES = new Collection<Tally>('run-statistics');
const CURSORS = new Collection<CountingCursor>('run-statistics-cursor');
const CURSOR_ID = 'changes';
/** Documents read or deleted at once. */
const PAGE = 200;
/** Above every hour. */
const AFTER_ALL_HOURS = '~';

/** How far counting has come. */
export interface CountingCursor {
  /** Every change up to here has been counted. */
  readonly seq: number;
  /** When that was. */
  readonly at: string;
  /** When the first counted change was made. */
  readonly countedSince: string;
  /** When counting per agent system began. */
  readonly systemsSince?: string;
  /** The newest stretch that was pruned before it was counted. */
  readonly gapSince?: string;
  readonly gapUntil?: string;
}

export const readCursor = (store: StoreReader): Promise<CountingCursor | undefined> => CURSORS.get(store, CURSOR_ID);

export interface CountedChanges {
  /** As it was when the changes were read. */
  readonly from: CountingCursor | undefined;
  readonly to: CountingCursor;
  readonly tallies: ReadonlyMap<string, Tally>;
}

/** Adds counts and moves the cursor, or throws `conflict`, having written nothing, when somebody else has moved it. */
export async function addCounted(tx: StoreTransaction, { from, to, tallies }: CountedChanges): Promise<void> {
  const current = await readCursor(tx);
  if (current?.seq !== from?.seq) throw new ServiceError('conflict', 'another process has counted runs meanwhile');
  for (const [id, tally] of tallies) await TALLIES.put(tx, id, addTallies((await TALLIES.get(tx, id)) ?? EMPTY_TALLY, tally));
  await CURSORS.put(tx, CURSOR_ID, to);
}

/** The counts of a scope by hour, from `first` to `last`; those of an agent system by day. */
export async function readTallies(store: StoreReader, scope: string, hours: { first: string; last: string }): Promise<Map<string, Tally>> {
  const found = new Map<string, Tally>();
  const last = tallyId(scope, hours.last);
  const first = tallyId(scope, hours.first);
  // At most nine hours before the first one lie between.
  for (let after = first.slice(0, -1); ;) {
    const page = await TALLIES.list(store, after, PAGE);
    for (const { id, document } of page) {
      if (id > last) return found;
      if (id >= first) found.set(id.slice(scope.length + 1), document);
    }
    const end = page.at(-1);
    if (!end || page.length < PAGE) return found;
    after = end.id;
  }
}

/** Drops the counts before an hour, scope by scope. */
export async function dropTallies(store: Store, before: string): Promise<void> {
  for (let after = ''; ;) {
    const page = await TALLIES.list(store, after, PAGE);
    const [first] = page;
    if (!first) return;
    const scope = first.id.slice(0, first.id.indexOf('/'));
    const old = page.map(({ id }) => id).filter((id) => id.startsWith(`${scope}/`) && id < tallyId(scope, before));
    if (old.length > 0)
      await store.transaction(async (tx) => {
        for (const id of old) await TALLIES.remove(tx, id);
      });
    // Less than a page of old ones: what is left of the scope is newer.
    after = old.length < page.length ? tallyId(scope, AFTER_ALL_HOURS) : (old.at(-1) ?? after);
  }
}
