// Entries of Memories for people: list, search, write, delete. Translates; the memory service decides.
import { MEMORY_PAGE_DEFAULT, MEMORY_PAGE_MAX } from '@svc/shared/memory-limits';
import { describeKey } from '@svc/shared/resource';
import type { MemoryService } from '../../memory/memory-service.ts';
import { json, type Call, type Route } from '../route.ts';
import { memoryKeyPart, memoryQuery } from '../text-types.ts';
import { integer, namespaceParameter, textFilter, objectOf } from './parameters.ts';
import { readFields } from './request-fields.ts';
import { ref } from './schemas.ts';

const TAG = 'Memory';
const LIMIT = { min: 1, max: MEMORY_PAGE_MAX };
/** A value whose every byte is escaped as six. */
const VALUE_BODY_MAX_BYTES = 2 * 1024 * 1024;

const keyOf = (call: Call) => call.params['key'] ?? '';

export function memoryRoutes(memories: MemoryService): Route[] {
  return [listRoute(memories), ...writeRoutes(memories)];
}

function listRoute(memories: MemoryService): Route {
  return {
    method: 'GET',
    path: '/v1/memories/{name}/entries',
    access: 'reader',
    tag: TAG,
    operationId: 'listMemoryEntries',
    summary: 'List or search the entries of a Memory',
    description:
      'In the order of the bytes of their keys, or by score with `q`. Empty where no backend is registered for the provider of the Memory; ' +
      '503 while its backend does not answer. A page with large values ends before `limit` entries.',
    query: [
      namespaceParameter,
      textFilter(
        'q',
        memoryQuery,
        'Text to search for: by meaning where the Memory has an embedding model, else by words. `prefix` and `after` are ignored.',
      ),
      textFilter('prefix', memoryKeyPart, 'Only keys that begin with it.'),
      integer('limit', 'Entries of a page, or results of a search.', { ...LIMIT, default: MEMORY_PAGE_DEFAULT }),
      textFilter('after', memoryKeyPart, 'Where the page begins: the `continue` of the one before.'),
    ],
    responses: { 200: { description: 'The entries.', schema: ref('MemoryEntryPage') } },
    errors: ['unavailable'],
    asks: (call) => describeKey({ kind: 'Memory', ...objectOf(call) }),
    async handle(call) {
      const { query } = call;
      return json(
        await memories.entries(call.context, objectOf(call), {
          q: query.text('q'),
          prefix: query.text('prefix'),
          after: query.text('after'),
          limit: query.integer('limit', LIMIT) ?? MEMORY_PAGE_DEFAULT,
        }),
      );
    },
  };
}

function writeRoutes(memories: MemoryService): Route[] {
  return [
    {
      method: 'PUT',
      path: '/v1/memories/{name}/entries/{key}',
      access: 'writer',
      tag: TAG,
      operationId: 'writeMemoryEntry',
      summary: 'Write an entry of a Memory',
      description: 'Creates or replaces it. A slash in the key is written as %2F.',
      query: [namespaceParameter],
      body: { description: 'The value.', schema: ref('MemoryValue'), contentTypes: ['application/json'], maxBytes: VALUE_BODY_MAX_BYTES },
      responses: { 200: { description: 'The entry is stored.', schema: ref('MemoryWritten') } },
      errors: ['unavailable', 'conflict'],
      async handle(call) {
        const { value } = await readFields(call);
        return json(await memories.writeEntry(call.context, objectOf(call), { key: keyOf(call), value }));
      },
    },
    {
      method: 'POST',
      path: '/v1/memories/{name}/ingest',
      access: 'writer',
      tag: TAG,
      operationId: 'ingestMemoryDocument',
      summary: 'Add a document to a Memory',
      description:
        'Cuts the text into entries `source/chunk-0000` and so on, as `memory.ingest` does, and replaces those of an earlier text of the source.',
      query: [namespaceParameter],
      body: { description: 'The document.', schema: ref('MemoryDocument'), contentTypes: ['application/json'] },
      responses: { 200: { description: 'The entries are stored.', schema: ref('MemoryIngested') } },
      errors: ['unavailable', 'conflict'],
      async handle(call) {
        const { source = '', content = '' } = await readFields<{ readonly source: string; readonly content: string }>(call);
        return json(await memories.ingest(call.context, objectOf(call), { source, content }));
      },
    },
    {
      method: 'DELETE',
      path: '/v1/memories/{name}/entries/{key}',
      access: 'writer',
      tag: TAG,
      operationId: 'deleteMemoryEntry',
      summary: 'Delete an entry of a Memory',
      query: [namespaceParameter],
      responses: { 200: { description: 'The entry is deleted.', schema: ref('MemoryDeleted') } },
      errors: ['unavailable'],
      handle: async (call) => json(await memories.deleteEntry(call.context, objectOf(call), keyOf(call))),
    },
  ];
}
