// Shapes of Memory: a store that agents may read and write through built-in tools.
import { z } from 'zod';
import { commonStatus, group, text } from '../fields.ts';

export const memorySpec = z.strictObject({
  type: text('What kind of memory it is, such as vector or kv; informational.'),
  provider: text(
    'Where entries live: in-memory (this process, lost on restart), embedded (a file of the server), pgvector or http; others may be registered.',
    {
      defaultText: 'in-memory',
    },
  ),
  embedding_model: text('ModelEndpoint that makes embeddings. Required by pgvector.', { format: 'ref:ModelEndpoint' }),
  endpoint: text('Database URL without a password (pgvector) or adapter URL (http). Required by both.'),
  auth: group('Credentials of the backend.', {
    secretRef: text('Secret with the bearer token (http) or the database password (pgvector).', { format: 'ref:Secret' }),
  }),
});

export const memoryStatus = z.strictObject(commonStatus);

export type WrittenMemorySpec = z.infer<typeof memorySpec>;
export type MemoryStatus = z.infer<typeof memoryStatus>;
