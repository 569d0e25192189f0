// The endpoints of memory entries, typed: one function per request.
import type { MemoryEntry, MemoryEntryPage, MemoryIngestReply, MemoryWriteReply } from '@svc/shared/api/memories';
import { memory } from '@svc/shared/kinds/memory/index';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { sendAbout, type ObjectHandle } from './resource-api.ts';

/** Entries per request when everything is wanted. A value has up to 256 KiB, so a page stays below 26 MiB. */
const PAGE_SIZE = 100;

export interface PageQuery {
  readonly q?: string | undefined;
  readonly prefix?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export const memoryFromWord = (invocation: Invocation, word: string): Promise<ObjectHandle> => handleFromWord(invocation, memory, word);

/** Reason why a key cannot be part of a path; undefined for the others. The server checks the rest. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (!key.isWellFormed()) return 'holds an unpaired surrogate';
  // A URL with such a segment, escaped or not, means the path above it.
  return key === '.' || key === '..' ? 'cannot be part of an address' : undefined;
}

export function entryKey(word: string): string {
  const problem = keyProblem(word);
  if (problem !== undefined) throw usageError(`the key "${word}" ${problem}`);
  return word;
}

export const entryPage = ({ client, key }: ObjectHandle, query: PageQuery, signal?: AbortSignal): Promise<MemoryEntryPage> =>
  sendAbout(client, key, { method: 'GET', below: 'entries', query: { ...query }, ...(signal && { signal }) });

/** Every entry after `after` with the prefix, page by page. */
export async function* entryPages(
  memory: ObjectHandle,
  query: Pick<PageQuery, 'prefix' | 'after'>,
  signal?: AbortSignal,
): AsyncGenerator<MemoryEntryPage> {
  for (let { after } = query, more = true; more;) {
    const page = await entryPage(memory, { ...query, after, limit: PAGE_SIZE }, signal);
    yield page;
    more = page.continue !== undefined && page.continue !== after;
    after = page.continue;
  }
}

/** Undefined when there is none. The keys with its text as their prefix are searched, in which it comes first on servers that sort. */
export async function findEntry(memory: ObjectHandle, key: string): Promise<MemoryEntry | undefined> {
  const first = await entryPage(memory, { prefix: key, limit: 1 });
  const found = first.entries.find((entry) => entry.key === key);
  if (found || first.continue === undefined) return found;
  for await (const page of entryPages(memory, { prefix: key })) {
    const entry = page.entries.find((each) => each.key === key);
    if (entry) return entry;
  }
  return undefined;
}

const entryAt = (key: string): string => `entries/${encodeURIComponent(entryKey(key))}`;

export interface WriteRequest {
  readonly key: string;
  readonly value: string;
  readonly signal?: AbortSignal;
}

export const putEntry = async ({ client, key: memory }: ObjectHandle, { key, value, signal }: WriteRequest): Promise<MemoryWriteReply> =>
  sendAbout(client, memory, { method: 'PUT', below: entryAt(key), body: { value }, ...(signal && { signal }) });

/** The server waits two minutes for the vectors of a document. */
const INGEST_ANSWER_MAX_MS = 150_000;

export const ingestDocument = ({ client, key }: ObjectHandle, document: { source: string; content: string }): Promise<MemoryIngestReply> =>
  sendAbout(client, key, { method: 'POST', below: 'ingest', body: document, answerMaxMs: INGEST_ANSWER_MAX_MS });

export const deleteEntry = async ({ client, key: memory }: ObjectHandle, key: string): Promise<unknown> =>
  sendAbout(client, memory, { method: 'DELETE', below: entryAt(key) });
