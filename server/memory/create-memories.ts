// The Memories of a process: built-in providers, open backends, and the operations on their entries.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { CallError, type EmbeddingsPort } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { Store } from '../store/store.ts';
import type { MemoryProvider } from './backend.ts';
import { createMemoryEntries, type MemoryEntries } from './entries.ts';
import type { Egress } from '../egress/egress.ts';
import type { DialRules } from '../tools/queue/dial.ts';
import { createHttpProvider } from './http/http-provider.ts';
import { OpenMemories, type OpenMemory } from './open-memories.ts';
import { createPgvectorProvider } from './pgvector/pgvector-provider.ts';
import { createMemoryProviders } from './provider-registry.ts';
import { createDatabaseThread } from './sqlite/database-thread.ts';
import { createEmbeddedProvider, createInMemoryProvider } from './sqlite/sqlite-providers.ts';

export interface MemoriesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly secrets: SecretResolver;
  readonly embeddings: EmbeddingsPort;
  /** Directory of this server's data; undefined on PostgreSQL, where servers share no files. */
  readonly dataDir: string | undefined;
  readonly egress: Egress;
  /** Addresses at which databases and adapters may be. */
  readonly rules: DialRules;
  /** Further providers. One of a built-in name replaces it. */
  readonly providers?: readonly MemoryProvider[];
}

export interface Memories {
  readonly memories: OpenMemories;
  readonly entries: MemoryEntries;
  /** Has `listener` called for each call of this process that a backend failed to answer. Returns the end of that. */
  onFailedCall(listener: FailureListener): () => void;
  /** After everything that uses them. Idempotent. */
  close(): Promise<void>;
}

type FailureListener = (memory: OpenMemory, error: unknown) => void;

/** No thread and no connection is started before the first use. */
export function createMemories({ dataDir, rules, egress, providers = [], ...options }: MemoriesOptions): Memories {
  const thread = createDatabaseThread();
  const builtIn = [
    createInMemoryProvider(thread),
    ...(dataDir === undefined ? [] : [createEmbeddedProvider(thread, join(dataDir, 'memories'))]),
    createPgvectorProvider(rules),
    createHttpProvider({ ...rules, egress, clock: options.clock }),
  ];
  const memories = new OpenMemories({ ...options, providers: createMemoryProviders([...builtIn, ...providers]) });
  const listeners = new Set<FailureListener>();
  return {
    memories,
    entries: reportFailures(createMemoryEntries(options), (memory, error) => listeners.forEach((listener) => listener(memory, error))),
    onFailedCall(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      await memories.close();
      await thread.close();
    },
  };
}

/** Calls of agents and people whose failures are reported. A refused input says nothing about the backend. */
function reportFailures(entries: MemoryEntries, report: FailureListener): MemoryEntries {
  const reported = async <T>(memory: OpenMemory, result: Promise<T>): Promise<T> => {
    try {
      return await result;
    } catch (error) {
      if (!(error instanceof CallError && error.code === 'invalid_input')) report(memory, error);
      throw error;
    }
  };
  return {
    ...entries,
    read: (memory, key, call) => reported(memory, entries.read(memory, key, call)),
    write: (memory, entry, call) => reported(memory, entries.write(memory, entry, call)),
    remove: (memory, key, call) => reported(memory, entries.remove(memory, key, call)),
    list: (memory, query, call) => reported(memory, entries.list(memory, query, call)),
    search: (memory, query, call) => reported(memory, entries.search(memory, query, call)),
    ingest: (memory, document, call) => reported(memory, entries.ingest(memory, document, call)),
  };
}
