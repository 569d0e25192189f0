// The Memories of a process: built-in providers, open backends, and the operations on their entries.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { EmbeddingsPort } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { Store } from '../store/store.ts';
import type { MemoryProvider } from './backend.ts';
import { createMemoryEntries, type MemoryEntries } from './entries.ts';
import type { Egress } from '../egress/egress.ts';
import type { DialRules } from '../tools/queue/dial.ts';
import { createHttpProvider } from './http/http-provider.ts';
import { OpenMemories } from './open-memories.ts';
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
  /** After everything that uses them. Idempotent. */
  close(): Promise<void>;
}

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
  return {
    memories,
    entries: createMemoryEntries(options),
    async close() {
      await memories.close();
      await thread.close();
    },
  };
}
