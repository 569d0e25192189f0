// Checks whether a write without an answer was recorded: a connection may be lost while the store commits.
import { jsonEquals } from '@svc/shared/json';
import type { StoreReader } from '../../store/store.ts';
import { toJournal, type Entry } from '../core/entries.ts';

export interface AppendedEntries {
  readonly stream: string;
  /** The entries were to follow this one. */
  readonly lastSeq: number;
  readonly entries: readonly Entry[];
}

/** True when the journal continues after `lastSeq` with exactly these entries. False for an empty list: such a write is harmless to repeat. */
export async function isRecorded(
  reader: Pick<StoreReader, 'readJournal'>,
  { stream, lastSeq, entries }: AppendedEntries,
): Promise<boolean> {
  if (entries.length === 0) return false;
  const stored = await reader.readJournal(stream, lastSeq, entries.length);
  if (stored.length < entries.length) return false;
  return entries.map(toJournal).every(({ type, timestamp, data }, index) => {
    const there = stored[index];
    return there?.type === type && there.timestamp === timestamp && jsonEquals(there.data, data);
  });
}

/**
 * Each call of the returned function is one try of a write that must be made once. A try whose outcome is not known may be carried out at any
 * later time, even between the look for it and the next try: that one then finds the journal moved on.
 */
export function appendOnce(
  reader: Pick<StoreReader, 'readJournal'>,
  append: AppendedEntries,
  write: () => Promise<unknown>,
): () => Promise<void> {
  let unsure = false;
  return async () => {
    if (unsure && (await isRecorded(reader, append))) return;
    try {
      await write();
    } catch (error) {
      if (unsure && (await isRecorded(reader, append))) return;
      unsure = true;
      throw error;
    }
  };
}
