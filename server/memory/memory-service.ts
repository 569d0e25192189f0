// Requests of people about the entries of a Memory: list, search, write, delete.
import { searchMode } from '@svc/shared/kinds/memory/search-mode';
import type { MemoryEntryPage, MemoryIngestReply, MemoryWriteReply } from '@svc/shared/api/memories';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { memoryDocumentProblem, MEMORY_OVERLAP_CHARS, MEMORY_SEGMENT_CHARS } from '@svc/shared/memory-limits';
import { specOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { CallError } from '../engine/ports.ts';
import { requireRole } from '../registry/authorise.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { MemoryEntries } from './entries.ts';
import type { OpenMemories, OpenMemory } from './open-memories.ts';
import { timeLimit } from '../clock.ts';

interface EntriesQuery {
  /** Search; it wins over `prefix` and `after`. */
  readonly q?: string | undefined;
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface MemoryService {
  /** Throws `not_found` for a Memory that does not exist and `unavailable` while its backend does not answer. */
  entries(context: RequestContext, memory: NamespacedName, query: EntriesQuery): Promise<MemoryEntryPage>;
  writeEntry(
    context: RequestContext,
    memory: NamespacedName,
    entry: { readonly key: string; readonly value: unknown },
  ): Promise<MemoryWriteReply>;
  /** Cuts a document into entries, and replaces those of an earlier one of the same source. */
  ingest(
    context: RequestContext,
    memory: NamespacedName,
    document: { readonly source: string; readonly content: string },
  ): Promise<MemoryIngestReply>;
  deleteEntry(context: RequestContext, memory: NamespacedName, key: string): Promise<{ readonly key: string }>;
}

export interface MemoryServiceDeps {
  readonly registry: Pick<Registry, 'get'>;
  readonly memories: Pick<OpenMemories, 'find'>;
  readonly entries: MemoryEntries;
}

/** The longest that a person waits for a backend and an embedding model. */
const REQUEST_MAX_MS = 20_000;
/** Longest wait for the ingestion of a document, each segment of which needs a vector. */
const INGEST_MAX_MS = 120_000;
const NO_ENTRIES: MemoryEntryPage = { entries: [], count: 0 };

export function createMemoryService({ registry, memories, entries }: MemoryServiceDeps): MemoryService {
  const callOf = ({ requestId }: RequestContext, ms = REQUEST_MAX_MS) => ({ requestId, signal: timeLimit(ms) });
  const opened = async (place: NamespacedName): Promise<OpenMemory> => {
    const memory = await memories.find(place);
    if (!memory) throw new ServiceError('not_found', `Memory ${place.namespace}/${place.name} does not exist`);
    return memory;
  };
  return {
    async entries(context, place, { q, prefix = '', after, limit }) {
      const search = searchMode(specOf('Memory', await registry.get(context, { kind: 'Memory', ...place })));
      const said = search === 'adapter' ? {} : { search };
      return answered(async () => {
        const memory = await opened(place);
        if (q !== undefined && q !== '') {
          const results = await entries.search(memory, { query: q, limit }, callOf(context));
          return { entries: results, count: results.length, ...said };
        }
        const page = await entries.list(memory, { prefix, after, limit }, callOf(context));
        const listed = page.entries.map((entry) => ({ ...entry, score: 0 }));
        return { entries: listed, count: listed.length, ...(page.next !== undefined && { continue: page.next }) };
      }).catch((error: unknown) => {
        // The contract: empty where no backend is registered for the Memory.
        if (error instanceof NoProvider) return NO_ENTRIES;
        throw error;
      });
    },
    async writeEntry(context, place, { key, value }) {
      requireRole(context, 'writer', 'writing an entry of a Memory');
      if (typeof value !== 'string') throw invalidFields('The entry', [{ path: 'value', message: 'must be a string' }]);
      return answered(async () => ({ key, created: await entries.write(await opened(place), { key, value }, callOf(context)) }));
    },
    async ingest(context, place, { source, content }) {
      requireRole(context, 'writer', 'writing entries of a Memory');
      const problem = memoryDocumentProblem(content);
      if (problem !== undefined) throw invalidFields('The document', [{ path: 'content', message: problem }]);
      const document = { source, content, chunkSize: MEMORY_SEGMENT_CHARS, overlap: MEMORY_OVERLAP_CHARS };
      return answered(
        async () => ({ keys: await entries.ingest(await opened(place), document, callOf(context, INGEST_MAX_MS)) }),
        INGEST_MAX_MS,
      );
    },
    async deleteEntry(context, place, key) {
      requireRole(context, 'writer', 'deleting an entry of a Memory');
      return answered(async () => {
        if (await entries.remove(await opened(place), key, callOf(context))) return { key };
        throw new ServiceError('not_found', `Memory ${place.namespace}/${place.name} has no entry ${JSON.stringify(key)}`);
      });
    },
  };
}

/** The Memory names a provider that this server does not have. */
class NoProvider extends ServiceError {
  override readonly name = 'NoProvider';
}

/** Failures of a call as errors of the API. */
async function answered<T>(work: () => Promise<T>, ms = REQUEST_MAX_MS): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw serviceErrorOf(error, ms);
  }
}

function serviceErrorOf(error: unknown, ms: number): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new ServiceError('unavailable', `The Memory did not answer within ${ms / 1000} s; try again later`, {
      cause: error,
    });
  if (!(error instanceof CallError)) return error;
  const { code, reason, message, problems, retryAfterMs } = error;
  if (reason === 'memory_provider') return new NoProvider('conflict', message, { cause: error });
  if (code === 'invalid_input') return problems.length > 0 ? invalidFields('The entry', problems) : new ServiceError('invalid', message);
  if (reason === 'memory_full') return new ServiceError('conflict', message, { cause: error });
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  return new ServiceError('unavailable', message, { cause: error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
