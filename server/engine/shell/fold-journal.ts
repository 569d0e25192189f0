// A run's state from its journal.
import { ServiceError } from '@svc/shared/errors';
import type { Store, StoreReader } from '../../store/store.ts';
import { isSupportedEntry } from '../core/entries.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { newRunState, type RunState } from '../core/state.ts';
import { readEntries, readEntriesInPortions, type PlacedEntry } from '../views/read-journal.ts';

export interface FoldedJournal {
  readonly state: RunState;
  readonly lastSeq: number;
  /** Milliseconds since the epoch; 0 for an empty journal. */
  readonly lastEntryAt: number;
}

/** Error for an entry that only a newer version understands. */
export function tooNew(stream: string, { seq, type }: { seq: number; type: string }): ServiceError {
  const place = `entry ${seq} (${type}) of run ${stream}`;
  return new ServiceError('conflict', `${place} was written by a newer version of this program; upgrade this one, too`);
}

/** The number of a journal's last entry, 0 for an empty one: found in steps that double, so that no more than single entries are read. */
export async function journalHead(reader: Pick<StoreReader, 'readJournal'>, stream: string): Promise<number> {
  const reaches = async (seq: number) => (await reader.readJournal(stream, seq - 1, 1)).length > 0;
  let low = 0;
  let high = 1;
  while (await reaches(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await reaches(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Folds the journal, or its entries up to `upTo`. Throws `conflict` for a journal that only a newer version understands: a newer worker must
 * continue the run, and it is not broken.
 */
export function foldJournal(reader: Pick<StoreReader, 'readJournal'>, stream: string, upTo = Infinity): Promise<FoldedJournal> {
  return foldEntries(stream, readEntries(reader, stream), upTo);
}

/** Folds a journal outside of a transaction, in portions between other work of this process. */
export function foldInPortions(store: Store, stream: string): Promise<FoldedJournal> {
  return foldEntries(stream, readEntriesInPortions(store, stream), Infinity);
}

async function foldEntries(stream: string, entries: AsyncIterable<PlacedEntry>, upTo: number): Promise<FoldedJournal> {
  const state = newRunState();
  let lastSeq = 0;
  let lastEntryAt = 0;
  for await (const { seq, entry } of entries) {
    if (seq > upTo) break;
    if (!isSupportedEntry(entry)) throw tooNew(stream, { seq, type: entry.type });
    applyEntry(state, entry);
    lastSeq = seq;
    lastEntryAt = entry.at;
  }
  return { state, lastSeq, lastEntryAt };
}
