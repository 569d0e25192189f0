// Memories as the tools of agents use them.
import { CallError } from '../engine/ports.ts';
import type { MemoryCalls } from '../tools/memory/memory-tool.ts';
import type { Memories } from './create-memories.ts';
import type { OpenMemory } from './open-memories.ts';

export function createMemoryCalls({ memories, entries }: Pick<Memories, 'memories' | 'entries'>): MemoryCalls {
  const opened = async (place: { readonly namespace: string; readonly name: string }): Promise<OpenMemory> => {
    const memory = await memories.find(place);
    if (memory) return memory;
    throw new CallError('execution_failed', `Memory "${place.namespace}/${place.name}" no longer exists`, {
      retryable: false,
      reason: 'memory_missing',
    });
  };
  return {
    read: async (call, key) => entries.read(await opened(call), key, call),
    write: async (call, entry) => entries.write(await opened(call), entry, call),
    search: async (call, query) => entries.search(await opened(call), query, call),
    list: async (call, query) => entries.list(await opened(call), query, call),
    ingest: async (call, document) => entries.ingest(await opened(call), document, call),
  };
}
