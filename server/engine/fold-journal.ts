// A run's state from its journal.
import type { StoreReader } from '../store/store.ts';
import { reduce } from './core/reduce.ts';
import { newRunState, type RunState } from './core/state.ts';
import { readEntries } from './views/read-journal.ts';

export interface Folded {
  readonly state: RunState;
  readonly lastSeq: number;
  /** Milliseconds since the epoch; 0 for an empty journal. */
  readonly lastEntryAt: number;
}

export async function foldJournal(reader: Pick<StoreReader, 'readJournal'>, stream: string): Promise<Folded> {
  const state = newRunState();
  let lastSeq = 0;
  let lastEntryAt = 0;
  for await (const { seq, entry } of readEntries(reader, stream)) {
    reduce(state, entry);
    lastSeq = seq;
    lastEntryAt = entry.at;
  }
  return { state, lastSeq, lastEntryAt };
}
