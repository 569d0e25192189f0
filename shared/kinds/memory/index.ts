// The kind Memory.
import { defineKind } from '../define.ts';
import { memoryReferences, normalizeMemory, validateMemory } from './rules.ts';
import { memorySpec, memoryStatus } from './schema.ts';

export const memory = defineKind({
  kind: 'Memory',
  plural: 'memories',
  area: 'memory',
  icon: 'Database',
  shortNames: ['memory', 'mem'],
  description: 'A store of entries that agents read, write and search through built-in tools.',
  spec: memorySpec,
  status: memoryStatus,
  phases: ['Pending', 'Ready', 'Error'],
  normalize: normalizeMemory,
  validate: validateMemory,
  references: memoryReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Provider', path: 'spec.provider' },
    { title: 'Type', path: 'spec.type' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Embedding model', path: 'spec.embedding_model', wide: true },
    { title: 'Last error', path: 'status.lastError', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  keepsVersions: true,
  applyOrder: 34,
});
