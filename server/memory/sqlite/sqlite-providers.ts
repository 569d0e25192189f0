// Providers in-memory and embedded: databases in a thread of this process, one for each Memory, without or with a file.
import { join } from 'node:path';
import { memoryTitle, type MemoryBackend, type MemoryProvider, type MemoryTarget } from '../backend.ts';
import type { DatabaseThread } from './database-thread.ts';
import { IN_THREAD, type DatabaseAddress, type Operation, type RequestOf } from './requests.ts';

/** A page of a list, or the results of a search, end before they hold more. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** Entries that live as long as this process. */
export function createInMemoryProvider(thread: DatabaseThread): MemoryProvider {
  return {
    name: 'in-memory',
    usesVectors: true,
    remote: false,
    byName: false,
    open: (target) => openDatabase(thread, target, `${IN_THREAD}${target.uid}`),
  };
}

/** Entries in a file of the data directory, named by the uid: a Memory that is created again has a new file. */
export function createEmbeddedProvider(thread: DatabaseThread, directory: string): MemoryProvider {
  return {
    name: 'embedded',
    usesVectors: true,
    remote: false,
    byName: false,
    open: (target) => openDatabase(thread, target, join(directory, `${target.uid}.db`)),
  };
}

function openDatabase(thread: DatabaseThread, target: MemoryTarget, database: DatabaseAddress): MemoryBackend {
  const place = { database, what: memoryTitle(target) };
  const run = async <Op extends Operation>(op: Op, request: RequestOf<Op>, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    return thread.run(place, op, request);
  };
  return {
    ping: (signal) => run('facts', {}, signal),
    get: (key, signal) => run('get', { key }, signal),
    async list(query, signal) {
      const { entries, more } = await run('list', { ...query, bytesMax: PAGE_BYTES_MAX }, signal);
      return { entries, next: more ? entries.at(-1)?.key : undefined };
    },
    search: (query, signal) => run('search', { ...query, bytesMax: PAGE_BYTES_MAX }, signal),
    write: (write, signal) => run('write', write, signal),
    unembedded: (limit, signal) => run('unembedded', { limit }, signal),
    embed: (puts, signal) => run('embed', { puts }, signal),
    erase: (signal) => run('erase', {}, signal),
    // A database without a file ends with its Memory, not with the users of the moment.
    close: async () => void (database.startsWith(IN_THREAD) || (await run('close', {}).catch(() => undefined))),
  };
}
