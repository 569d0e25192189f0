// Provider pgvector: a table of its own for each Memory, in a PostgreSQL with the extension pgvector.
import { CallError } from '../../engine/ports.ts';
import { replacedSegments } from '../chunks.ts';
import type { DialRules } from '../../tools/queue/dial.ts';
import { memoryTitle, type MemoryBackend, type MemoryProvider, type MemoryTarget } from '../backend.ts';
import { createDatabaseConnections, type DatabaseConnections, type Query } from './connections.ts';
import { databaseError, isMissing } from './database-errors.ts';
import { databaseEndpoint } from './endpoint.ts';
import { dropTable, inTransaction, openTable, withVectors, type EntryTable } from './entry-table.ts';
import * as entries from './statements.ts';

/** No connection is made before the first use of a backend. */
export function createPgvectorProvider(rules: DialRules): MemoryProvider {
  const connections = createDatabaseConnections(rules);
  return {
    name: 'pgvector',
    usesVectors: true,
    remote: true,
    byName: false,
    open: (target) => openBackend({ connections, permittedBy: rules.permittedBy }, target),
    close: () => connections.close(),
  };
}

type TableUse<T> = (query: Query, table: EntryTable) => Promise<T>;

interface SharedConnections {
  readonly connections: DatabaseConnections;
  readonly permittedBy: string;
}

function openBackend({ connections, permittedBy }: SharedConnections, target: MemoryTarget): MemoryBackend {
  const title = memoryTitle(target);
  const endpoint = databaseEndpoint(title, target.spec.endpoint);
  const connected = async <T>(signal: AbortSignal, use: (query: Query) => Promise<T>): Promise<T> => {
    const password = await target.secret();
    try {
      return await connections.with({ endpoint, password }, signal, use);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw databaseError(error, { title, endpoint, permittedBy });
    }
  };
  /** The table as this process last saw it. */
  let known: EntryTable | undefined;
  const inTable = <T>(signal: AbortSignal, use: TableUse<T>): Promise<T> =>
    connected(signal, async (query) => {
      try {
        return await use(query, (known ??= await openTable(query, target)));
      } catch (error) {
        if (!isMissing(error)) throw error;
        // The table was removed or changed by another hand since.
        known = undefined;
        const message = `${title}: its table changed meanwhile; try again`;
        throw new CallError('execution_failed', message, { retryable: true, reason: 'memory_unavailable', cause: error });
      }
    });
  const prepared = async (query: Query, table: EntryTable, vector: Float32Array | undefined): Promise<EntryTable> => {
    if (vector === undefined) return table;
    known = await withVectors(query, target, { table, length: vector.length });
    return known;
  };
  return {
    async ping(signal) {
      return connected(signal, async (query) => {
        known = await openTable(query, target);
        return { dimensions: known.dimensions, unembedded: await entries.countUnembedded(query, known) };
      });
    },
    get: (key, signal) => inTable(signal, (query, table) => entries.get(query, table, key)),
    list: (page, signal) => inTable(signal, (query, table) => entries.list(query, table, page)),
    search: ({ query: text, vector, limit }, signal) =>
      inTable(signal, async (query, table) => {
        if (vector === undefined) return entries.searchByWords(query, table, { text, limit });
        if (table.dimensions === undefined) return [];
        return entries.searchByVector(query, await prepared(query, table, vector), { vector, limit });
      }),
    write: ({ puts, deletes, replaces: prefix }, signal) =>
      inTable(signal, async (query, table) => {
        const ready = await prepared(query, table, puts.find(({ vector }) => vector)?.vector);
        const write = async () => {
          const replaced = prefix === undefined ? [] : replacedSegments(await entries.lockKeys(query, ready, prefix), { prefix, puts });
          const gone = [...deletes, ...replaced];
          const deleted = gone.length === 0 ? [] : await entries.remove(query, ready, gone);
          return { created: await entries.put(query, ready, puts), deleted };
        };
        return prefix !== undefined || puts.length + deletes.length > 1 ? inTransaction(query, write) : write();
      }),
    unembedded: (limit, signal) => inTable(signal, (query, table) => entries.unembedded(query, table, limit)),
    embed: (puts, signal) =>
      inTable(signal, async (query, table) => entries.embed(query, await prepared(query, table, puts[0]?.vector), puts)),
    erase: (signal) => connected(signal, (query) => dropTable(query, target)),
    close: () => Promise.resolve(),
  };
}
