// JSON Schemas of bodies about entries of Memories.
import { MEMORY_DOCUMENT_MAX_BYTES, MEMORY_VALUE_MAX_BYTES } from '@svc/shared/memory-limits';
import type { JsonSchema } from '../route.ts';
import { arrayOf, integer, object, string } from './schema-parts.ts';

const entry = object({
  key: string,
  value: string,
  score: { type: 'number', description: 'How well the entry matches the search, 0 to 1; 0 in a list.' },
});

export const memorySchemas: Readonly<Record<string, JsonSchema>> = {
  MemoryEntryPage: object(
    {
      entries: arrayOf(entry),
      count: integer,
      continue: { type: 'string', description: 'The `after` of the next page; absent on the last one and in a search.' },
      search: { type: 'string', enum: ['keyword', 'vector'], description: 'Kind of search that was made.' },
    },
    ['entries', 'count'],
  ),
  MemoryValue: object({ value: { type: 'string', description: `At most ${MEMORY_VALUE_MAX_BYTES} bytes.` } }),
  MemoryDocument: object({
    source: { type: 'string', description: 'Name of the document, with which the keys of its entries begin.' },
    content: { type: 'string', description: `The text, at most ${MEMORY_DOCUMENT_MAX_BYTES} bytes.` },
  }),
  MemoryIngested: object({ keys: { ...arrayOf(string), description: 'Keys of the entries, in the order of the text.' } }),
  MemoryWritten: object({ key: string, created: { type: 'boolean', description: 'False: it replaced an entry.' } }),
  MemoryDeleted: object({ key: string }),
};
