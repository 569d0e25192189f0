// Port of a Memory's backend: where entries live, behind one provider each. Independent of any provider.
import { CallError } from '../engine/ports.ts';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';

export interface Entry {
  readonly key: string;
  readonly value: string;
}

export interface ScoredEntry extends Entry {
  /** Higher is better: 0 to 1 from built-in providers, any number from others. */
  readonly score: number;
}

export interface EntryPut extends Entry {
  readonly vector?: Float32Array | undefined;
}

export interface ListQuery {
  readonly prefix: string;
  /** The page begins behind this key, in the order of the bytes of keys. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** The `after` of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

interface SearchQuery {
  readonly query: string;
  /** Vector of the query, where the Memory has an embedding model. */
  readonly vector: Float32Array | undefined;
  readonly limit: number;
}

export interface Write {
  readonly puts: readonly EntryPut[];
  /** Made before the puts. */
  readonly deletes: readonly string[];
  /** Prefix of segment keys (`segmentPrefix`). Segments with it that `puts` does not name are deleted, in the same transaction where the provider has transactions. */
  readonly replaces?: string | undefined;
}

interface WriteResult {
  /** Keys of puts that were new. */
  readonly created: readonly string[];
  /** Deleted keys that existed. */
  readonly deleted: readonly string[];
}

export interface BackendFacts {
  /** Length of the vectors that are stored; undefined where there are none. */
  readonly dimensions: number | undefined;
  /** Entries without a vector. */
  readonly unembedded: number;
}

/** Every method rejects with CallError, retryable where the backend does not answer, or with the signal's reason when aborted. */
export interface MemoryBackend {
  /** Checks that the backend answers, and prepares it where it has to be. */
  ping(signal: AbortSignal): Promise<BackendFacts>;
  get(key: string, signal: AbortSignal): Promise<string | undefined>;
  list(query: ListQuery, signal: AbortSignal): Promise<EntryPage>;
  search(query: SearchQuery, signal: AbortSignal): Promise<readonly ScoredEntry[]>;
  /** All or nothing where the provider can; repeating it is harmless. */
  write(write: Write, signal: AbortSignal): Promise<WriteResult>;
  /** Entries without a vector, for those that were written before the Memory had an embedding model. */
  unembedded?(limit: number, signal: AbortSignal): Promise<readonly Entry[]>;
  /** Adds vectors to entries whose value is still the same. */
  embed?(puts: readonly EntryPut[], signal: AbortSignal): Promise<void>;
  /** Removes every entry, when the Memory is deleted. */
  erase(signal: AbortSignal): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** One Memory as its provider opens it. */
export interface MemoryTarget {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly spec: MemorySpec;
  /** Value of `auth.secretRef`, read at each use; undefined where the Memory names none. Rejects with CallError. */
  readonly secret: () => Promise<string | undefined>;
}

export interface MemoryProvider {
  /** Value of `Memory.spec.provider`. */
  readonly name: string;
  /** Whether writes and searches bring vectors when the Memory has an embedding model. */
  readonly usesVectors: boolean;
  /** Whether its backends are outside of this process, so that they can fail and recover by themselves. */
  readonly remote: boolean;
  /** Time between checks of such a backend that answers. Default: one minute. */
  readonly checkEveryMs?: number;
  /** Whether entries are found by the namespace and the name of a Memory alone: one that is created again waits until the earlier one is erased. */
  readonly byName: boolean;
  /** Makes no connection yet. Throws CallError for a spec that cannot work. */
  open(target: MemoryTarget): MemoryBackend;
  /** Closes what its backends share. Idempotent. */
  close?(): Promise<void>;
}

/** How errors name a Memory. */
export const memoryTitle = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `Memory "${namespace}/${name}"`;

/** Remedy for vectors of another length; follows the problem in a message. */
export const WRONG_DIMENSIONS_REMEDY =
  'set spec.embedding_model back, or delete the Memory and create it again (svcctl memory export and import move its entries)';

export function wrongDimensions(
  memory: Parameters<typeof memoryTitle>[0],
  { held, sent }: { readonly held: number; readonly sent: number },
): CallError {
  const message = `${memoryTitle(memory)} holds vectors of ${held} dimensions, and the embedding model sent ${sent}; ${WRONG_DIMENSIONS_REMEDY}`;
  return new CallError('execution_failed', message, { retryable: false, reason: 'memory_wrong_dimensions' });
}
