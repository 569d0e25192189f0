// Audit lines of entries of Memories that people write and delete: wraps the memory service. Keys, never a value.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import type { RequestContext } from '../registry/registry.ts';
import type { AuditSink } from './audit-event.ts';

const KEY_MAX_CHARS = 253;

interface Change {
  readonly action: 'memory_entry.write' | 'memory_entry.delete';
  readonly memory: { readonly namespace: string; readonly name: string };
  readonly key: string;
}

export function auditMemories(memories: MemoryService, sink: AuditSink, clock: Clock): MemoryService {
  const audited = async <T>({ identity, requestId }: RequestContext, { action, memory, key }: Change, change: Promise<T>): Promise<T> => {
    const write = (outcome: string, code?: string) =>
      sink.write({
        timestamp: timestamp(clock.now()),
        component: 'memory',
        action,
        outcome,
        principal: { name: identity.name, method: identity.method, role: identity.role },
        resource: { kind: 'Memory', namespace: memory.namespace, name: memory.name },
        request_id: requestId,
        details: { key: key.slice(0, KEY_MAX_CHARS), ...(code !== undefined && { code }) },
      });
    try {
      const done = await change;
      write('success');
      return done;
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal';
      // The HTTP surface reports refusals for a missing role, as it does for every request.
      if (code !== 'forbidden') write('failed', code);
      throw error;
    }
  };
  return {
    entries: (context, memory, query) => memories.entries(context, memory, query),
    writeEntry: (context, memory, entry) =>
      audited(context, { action: 'memory_entry.write', memory, key: entry.key }, memories.writeEntry(context, memory, entry)),
    deleteEntry: (context, memory, key) =>
      audited(context, { action: 'memory_entry.delete', memory, key }, memories.deleteEntry(context, memory, key)),
  };
}
