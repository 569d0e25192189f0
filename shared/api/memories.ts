// Entries of a Memory, as the API returns them.

export interface MemoryEntry {
  readonly key: string;
  readonly value: string;
  /** How well the entry matches a search, higher is better; 0 in a list. */
  readonly score: number;
}

export interface MemoryEntryPage {
  readonly entries: readonly MemoryEntry[];
  readonly count: number;
  /** The `after` of the next page; absent on the last one and in a search. */
  readonly continue?: string;
  /** Kind of search that was made; absent in a list, and where an adapter searches in its own way. */
  readonly search?: 'keyword' | 'vector';
}

/** Answer to a document that was cut into entries. */
export interface MemoryIngestReply {
  /** Keys of the entries, in the order of the text. */
  readonly keys: readonly string[];
}

/** Body of the answer to a written entry. */
export interface MemoryWriteReply {
  readonly key: string;
  /** False: it replaced an entry. */
  readonly created: boolean;
}
