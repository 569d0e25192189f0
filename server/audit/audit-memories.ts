// Audit lines of entries of Memories that people write and delete: wraps the memory service. Keys, never a value.
import type { Clock } from '../clock.ts';
import { overlay } from '../overlay.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import { createAuditChange, DETAIL_MAX_CHARS } from './audit-change.ts';
import type { AuditSink } from './audit-event.ts';

export function auditMemories(memories: MemoryService, sink: AuditSink, clock: Clock): MemoryService {
  const audited = createAuditChange(sink, clock);
  const change = (
    action: 'memory_entry.write' | 'memory_entry.delete',
    { namespace, name }: { readonly namespace: string; readonly name: string },
    key: string,
  ) => ({
    component: 'memory',
    action,
    resource: { kind: 'Memory', namespace, name },
    details: { key: key.slice(0, DETAIL_MAX_CHARS) },
  });
  return overlay(memories, {
    writeEntry: (context, memory, entry) =>
      audited(context, change('memory_entry.write', memory, entry.key), memories.writeEntry(context, memory, entry)),
    ingest: (context, memory, document) =>
      audited(context, change('memory_entry.write', memory, document.source), memories.ingest(context, memory, document)),
    deleteEntry: (context, memory, key) =>
      audited(context, change('memory_entry.delete', memory, key), memories.deleteEntry(context, memory, key)),
  });
}
