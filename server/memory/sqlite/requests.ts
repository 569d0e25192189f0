// Requests to the threads that hold the databases of Memories, and their answers. Both are copied between threads.

/** File of a database; `memory:<uid>` is a database in the memory of the thread. */
export type DatabaseAddress = string;

export const IN_THREAD = 'memory:';

/** Threads of all databases. */
export const THREADS = 4;

export interface StoredEntry {
  readonly key: string;
  readonly value: string;
}

export interface FoundEntry extends StoredEntry {
  readonly score: number;
}

export interface EntryPut extends StoredEntry {
  readonly vector?: Float32Array | undefined;
}

export interface PageAnswer {
  readonly entries: readonly StoredEntry[];
  readonly more: boolean;
}

export interface DatabaseFacts {
  readonly entries: number;
  /** Length of the vectors; undefined before the first one. */
  readonly dimensions: number | undefined;
  /** Entries that have no vector. */
  readonly unembedded: number;
}

export interface Answers {
  facts: DatabaseFacts;
  get: string | undefined;
  list: PageAnswer;
  unembedded: readonly StoredEntry[];
  search: readonly FoundEntry[];
  /** Keys that are new. */
  write: { readonly created: readonly string[]; readonly deleted: readonly string[] };
  embed: undefined;
  erase: undefined;
  close: undefined;
}

interface Requests {
  facts: object;
  get: { readonly key: string };
  /** A page ends before it holds more than `bytesMax` bytes of values; it has at least one entry. */
  list: { readonly prefix: string; readonly after: string | undefined; readonly limit: number; readonly bytesMax: number };
  unembedded: { readonly limit: number };
  /** With a vector: the nearest entries. Without: those that match the words. They end as a page does. */
  search: { readonly query: string; readonly vector: Float32Array | undefined; readonly limit: number; readonly bytesMax: number };
  /** All or nothing. Deletions come first, those of segments that `replaces` stands for too. */
  write: { readonly puts: readonly EntryPut[]; readonly deletes: readonly string[]; readonly replaces?: string | undefined };
  /** Adds vectors to entries whose value is still the same. */
  embed: { readonly puts: readonly EntryPut[] };
  /** Closes the database and removes its files. */
  erase: object;
  close: object;
}

export type Operation = keyof Answers;

export interface Job<Op extends Operation = Operation> {
  readonly database: DatabaseAddress;
  readonly op: Op;
  readonly request: Requests[Op];
}

export type RequestOf<Op extends Operation> = Requests[Op];

/** `wrong_dimensions`: a vector of another length than those stored. `full`: the size limit. `disk_full`: the disk of its file. `unusable`: the file cannot be opened or read. */
export type ProblemCode = 'wrong_dimensions' | 'full' | 'disk_full' | 'unusable';

export type Result<Op extends Operation = Operation> =
  { readonly ok: true; readonly answer: Answers[Op] } | { readonly ok: false; readonly code: ProblemCode; readonly message: string };
