// Tools of type `memory`: the five operations of agents on the Memory that their definition names. Only runs make such tools; nobody can declare one.
import type { JsonObject } from '@svc/shared/json';
import { MEMORY_OVERLAP_CHARS, MEMORY_SEGMENT_CHARS } from '@svc/shared/memory-limits';
import { CallError, type CallUsage } from '../../engine/ports.ts';
import { toolTitle, type ToolRun, type ToolRuntime } from '../runtime.ts';

interface MemoryEntry {
  readonly key: string;
  readonly value: string;
}

/** Memories as tools use them. Every method rejects with CallError, or with the signal's reason when aborted. */
export interface MemoryCalls {
  read(call: MemoryCall, key: string): Promise<string | undefined>;
  /** True for a new key. */
  write(call: MemoryCall, entry: MemoryEntry): Promise<boolean>;
  search(
    call: MemoryCall,
    query: { readonly query: string; readonly limit: number },
  ): Promise<readonly (MemoryEntry & { readonly score: number })[]>;
  list(
    call: MemoryCall,
    query: { readonly prefix: string; readonly after: string | undefined; readonly limit: number },
  ): Promise<{ readonly entries: readonly MemoryEntry[]; readonly next: string | undefined }>;
  ingest(
    call: MemoryCall,
    document: { readonly source: string; readonly content: string; readonly chunkSize: number; readonly overlap: number },
  ): Promise<readonly string[]>;
}

interface MemoryCall {
  readonly namespace: string;
  readonly name: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Receives the cost of the embeddings of the call. */
  readonly onUsage: (usage: CallUsage) => void;
}

type Operation = (memories: MemoryCalls, call: MemoryCall, input: JsonObject) => Promise<object>;

/** Characters of the values in one result; the rest of a page comes with the next call. */
const RESULT_MAX_CHARS = 512 * 1024;
const ENDPOINT = /^memory:([^/]+)\/(.+)$/;

const textOf = (input: JsonObject, field: string): string => (typeof input[field] === 'string' ? input[field] : '');
const numberOf = (input: JsonObject, field: string, fallback: number): number =>
  typeof input[field] === 'number' ? input[field] : fallback;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async 'memory.read'(memories, call, input) {
    const key = textOf(input, 'key');
    const value = await memories.read(call, key);
    return { found: value !== undefined, key, value: value ?? '' };
  },
  async 'memory.write'(memories, call, input) {
    const key = textOf(input, 'key');
    return { key, created: await memories.write(call, { key, value: textOf(input, 'value') }) };
  },
  async 'memory.search'(memories, call, input) {
    const found = await memories.search(call, { query: textOf(input, 'query'), limit: numberOf(input, 'top_k', 10) });
    const results = fitting(found).map(({ key, value, score }) => ({ key, value, score }));
    return { results, count: results.length };
  },
  async 'memory.list'(memories, call, input) {
    const after = textOf(input, 'after');
    const page = await memories.list(call, {
      prefix: textOf(input, 'prefix'),
      after: after === '' ? undefined : after,
      limit: numberOf(input, 'limit', 100),
    });
    const entries = fitting(page.entries).map(({ key, value }) => ({ key, value }));
    const next = entries.length < page.entries.length ? entries.at(-1)?.key : page.next;
    return { entries, count: entries.length, ...(next !== undefined && { continue: next }) };
  },
  async 'memory.ingest'(memories, call, input) {
    const source = textOf(input, 'source');
    const keys = await memories.ingest(call, {
      source,
      content: textOf(input, 'content'),
      chunkSize: numberOf(input, 'chunk_size', MEMORY_SEGMENT_CHARS),
      overlap: numberOf(input, 'overlap', MEMORY_OVERLAP_CHARS),
    });
    return { source, chunks: keys.length, keys };
  },
};

export function createMemoryToolRuntime({ memories }: { readonly memories: MemoryCalls }): ToolRuntime {
  return {
    type: 'memory',
    async run(run) {
      const { operation, place } = requireMemoryTool(run.tool);
      const { requestId, signal, input } = run;
      let spent: CallUsage | undefined;
      const onUsage = (usage: CallUsage) => (spent = usage);
      const result = await operation(memories, { ...place, requestId, signal, onUsage }, input);
      return { output: JSON.stringify(result), ...(spent && { spent }) };
    },
  };
}

/** Throws CallError `runtime_policy_invalid`: a stored Tool cannot be of this type. */
export function requireMemoryTool(tool: ToolRun['tool']): {
  readonly operation: Operation;
  readonly place: { readonly namespace: string; readonly name: string };
} {
  const [, namespace, name] = ENDPOINT.exec(tool.spec.endpoint ?? '') ?? [];
  const operation = OPERATIONS[tool.name];
  if (operation && namespace !== undefined && name !== undefined) return { operation, place: { namespace, name } };
  throw new CallError('runtime_policy_invalid', `${toolTitle(tool)} names no Memory; set spec.memory of the agent instead`, {
    retryable: false,
    reason: 'memory_endpoint',
  });
}

/** Those from the start that fit one result; one at least. */
function fitting<Entry extends MemoryEntry>(entries: readonly Entry[]): readonly Entry[] {
  let chars = 0;
  const end = entries.findIndex(({ key, value }, index) => {
    chars += key.length + value.length;
    return index > 0 && chars > RESULT_MAX_CHARS;
  });
  return end < 0 ? entries : entries.slice(0, end);
}
