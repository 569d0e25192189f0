// Operations on the entries of an open Memory, the same for agents and people: limits, vectors and segments, before the backend.
import type { FieldError } from '@svc/shared/errors';
import {
  MEMORY_INGEST_MAX_BYTES,
  MEMORY_VALUE_MAX_BYTES,
  memoryKeyProblem,
  memoryQueryProblem,
  memoryValueProblem,
} from '@svc/shared/memory-limits';
import { CallError, type CallUsage } from '../engine/ports.ts';
import { wrongDimensions, type Entry, type EntryPage, type EntryPut, type ListQuery, type ScoredEntry, type Write } from './backend.ts';
import { chunkCount, chunksOf, segmentPrefix } from './chunks.ts';
import { embedTexts, type EmbedderDeps } from './embedder.ts';
import type { OpenMemory } from './open-memories.ts';

interface EntryCall {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Gets what the embeddings of the call cost. */
  readonly onUsage?: (usage: CallUsage) => void;
}

interface Ingest {
  readonly source: string;
  readonly content: string;
  readonly chunkSize: number;
  readonly overlap: number;
}

export interface MemoryEntries {
  read(memory: OpenMemory, key: string, call: EntryCall): Promise<string | undefined>;
  /** True for a new key. */
  write(memory: OpenMemory, entry: Entry, call: EntryCall): Promise<boolean>;
  /** False where there was no such entry. */
  remove(memory: OpenMemory, key: string, call: EntryCall): Promise<boolean>;
  list(memory: OpenMemory, query: ListQuery, call: EntryCall): Promise<EntryPage>;
  search(memory: OpenMemory, query: { readonly query: string; readonly limit: number }, call: EntryCall): Promise<readonly ScoredEntry[]>;
  /** Replaces an earlier ingest of the source; answers with the keys in the order of the text. */
  ingest(memory: OpenMemory, document: Ingest, call: EntryCall): Promise<readonly string[]>;
  /** Rejects with CallError `memory_wrong_dimensions` when the embedding model makes vectors of another length than those stored. */
  checkModel(memory: OpenMemory, dimensions: number, call: EntryCall): Promise<void>;
  /** Gives vectors to some entries that have none; false when no more are left. */
  embedSome(memory: OpenMemory, call: EntryCall): Promise<boolean>;
}

/** 10 MiB in segments of the default size are 13,107. */
const CHUNKS_MAX = 20_000;
const EMBEDDED_AT_ONCE = 64;
/** Text that finds out the length of a model's vectors. */
const CHECK_TEXT = 'length of a vector';

export function createMemoryEntries(deps: EmbedderDeps): MemoryEntries {
  const withVectors = async (memory: OpenMemory, entries: readonly Entry[], call: EntryCall): Promise<readonly EntryPut[]> => {
    const { model } = memory;
    if (model === undefined || entries.length === 0) return entries;
    // A blank value has nothing to embed, and no model takes an empty text.
    const texts = entries.map(({ key, value }) => (value.trim() === '' ? key : value));
    const { vectors, usage } = await embedTexts(deps, { ...call, memory, model, texts });
    call.onUsage?.(usage);
    return entries.map((entry, index) => ({ ...entry, vector: vectors[index] }));
  };
  return {
    async read({ backend }, key, { signal }) {
      refuse([{ path: 'key', message: memoryKeyProblem(key) }]);
      return backend.get(key, signal);
    },
    async write(memory, { key, value }, call) {
      refuse([
        { path: 'key', message: memoryKeyProblem(key) },
        { path: 'value', message: memoryValueProblem(value) },
      ]);
      const puts = await withVectors(memory, [{ key, value }], call);
      const { created } = await memory.backend.write({ puts, deletes: [] }, call.signal);
      return created.includes(key);
    },
    async remove({ backend }, key, { signal }) {
      refuse([{ path: 'key', message: memoryKeyProblem(key) }]);
      const { deleted } = await backend.write({ puts: [], deletes: [key] }, signal);
      return deleted.includes(key);
    },
    async list({ backend }, query, { signal }) {
      refuse([
        { path: 'prefix', message: partProblem(query.prefix) },
        { path: 'after', message: partProblem(query.after ?? '') },
      ]);
      return backend.list(query, signal);
    },
    async search(memory, { query, limit }, call) {
      refuse([{ path: 'query', message: memoryQueryProblem(query) }]);
      const { model, backend } = memory;
      const embedded = model === undefined ? undefined : await embedTexts(deps, { ...call, memory, model, texts: [query] });
      if (embedded) call.onUsage?.(embedded.usage);
      return backend.search({ query, vector: embedded?.vectors[0], limit }, call.signal);
    },
    async ingest(memory, document, call) {
      const write = await ingestWrite(memory, document, { call, withVectors });
      await memory.backend.write(write, call.signal);
      return write.puts.map(({ key }) => key);
    },
    async checkModel(memory, dimensions, call) {
      const { model } = memory;
      if (model === undefined) return;
      const { vectors } = await embedTexts(deps, { ...call, memory, model, texts: [CHECK_TEXT] });
      const sent = vectors[0]?.length ?? 0;
      if (sent !== dimensions) throw wrongDimensions(memory, { held: dimensions, sent });
    },
    async embedSome(memory, call) {
      const { backend } = memory;
      const entries = (memory.model !== undefined && (await backend.unembedded?.(EMBEDDED_AT_ONCE, call.signal))) || [];
      if (entries.length === 0) return false;
      await backend.embed?.(await withVectors(memory, entries, call), call.signal);
      return entries.length === EMBEDDED_AT_ONCE;
    },
  };
}

interface IngestParts {
  readonly call: EntryCall;
  readonly withVectors: (memory: OpenMemory, entries: readonly Entry[], call: EntryCall) => Promise<readonly EntryPut[]>;
}

async function ingestWrite(
  memory: OpenMemory,
  { source, content, chunkSize, overlap }: Ingest,
  { call, withVectors }: IngestParts,
): Promise<Write> {
  const rule = { size: chunkSize, overlap };
  const prefix = segmentPrefix(source);
  refuse([
    { path: 'source', message: source === '' ? 'must not be empty' : memoryKeyProblem(`${prefix}00000`) },
    { path: 'content', message: contentProblem(content) },
    { path: 'chunk_size', message: chunkSize >= 1 ? undefined : 'must be at least 1' },
    { path: 'overlap', message: overlap >= 0 && overlap < chunkSize ? undefined : 'must be at least 0 and less than chunk_size' },
  ]);
  if (chunkCount(content.length, rule) > CHUNKS_MAX) {
    refuse([{ path: 'chunk_size', message: `would make more than ${CHUNKS_MAX} segments; use a larger chunk_size or a smaller overlap` }]);
  }
  const entries = chunksOf(content, rule).map((value, index) => ({ key: `${prefix}${String(index).padStart(4, '0')}`, value }));
  refuse(
    entries.some(({ value }) => Buffer.byteLength(value) > MEMORY_VALUE_MAX_BYTES)
      ? [{ path: 'chunk_size', message: `makes segments of more than ${MEMORY_VALUE_MAX_BYTES} bytes; use a smaller chunk_size` }]
      : [],
  );
  return { puts: await withVectors(memory, entries, call), deletes: [], replaces: prefix };
}

/** Rule of a text that keys are compared with. */
const partProblem = (text: string): string | undefined =>
  text === '' || text === '.' || text === '..' ? undefined : memoryKeyProblem(text);

function contentProblem(content: string): string | undefined {
  if (content.length > MEMORY_INGEST_MAX_BYTES || Buffer.byteLength(content) > MEMORY_INGEST_MAX_BYTES)
    return `must be at most ${MEMORY_INGEST_MAX_BYTES} bytes; ingest it in parts, each a source of its own`;
  return content.isWellFormed() ? undefined : 'must not hold an unpaired surrogate';
}

/** Throws CallError `invalid_input` that names each place with its problem. */
function refuse(places: readonly { readonly path: string; readonly message: string | undefined }[]): void {
  const problems = places.filter((place): place is FieldError => place.message !== undefined);
  if (problems.length === 0) return;
  const message = problems.map((problem) => `${problem.path} ${problem.message}`).join('; ');
  throw new CallError('invalid_input', message, { retryable: false, reason: 'memory_input', problems });
}
