// Reads a run's journal in pages, so that no reader holds more of it than it keeps.
import { setImmediate } from 'node:timers/promises';
import type { StoreReader } from '../../store/store.ts';
import { fromJournal, type Entry } from '../core/entries.ts';
import { JOURNAL_PAGE_ENTRIES } from '../core/limits.ts';

export interface PlacedEntry {
  readonly seq: number;
  readonly entry: Entry;
}

/** Every entry after `after`, in order, as of the time of each page's reading. */
export async function* readEntries(reader: Pick<StoreReader, 'readJournal'>, stream: string, after = 0): AsyncGenerator<PlacedEntry> {
  let seq = after;
  for (;;) {
    const page = await reader.readJournal(stream, seq, JOURNAL_PAGE_ENTRIES);
    for (const stored of page) yield { seq: stored.seq, entry: fromJournal(stored) };
    seq = page.at(-1)?.seq ?? seq;
    if (page.length < JOURNAL_PAGE_ENTRIES) return;
  }
}

/** Entries that are read in one go; then the rest of the process has its turn. */
const STRETCH_ENTRIES = 250;

/** Entries as of `readEntries`, in portions between other work of this process. Not for transactions, which would hold up other writers. */
export async function* readEntriesInPortions(
  reader: Pick<StoreReader, 'readJournal'>,
  stream: string,
  after = 0,
): AsyncGenerator<PlacedEntry> {
  let read = 0;
  for await (const placed of readEntries(reader, stream, after)) {
    yield placed;
    read += 1;
    if (read % STRETCH_ENTRIES === 0) await setImmediate();
  }
}
