// How a search is read from the index of words, whatever the engine. The index is divided into blocks of ids: each word is in it once for each
// block, so that no statement reads more than the words of one block, however common a word or its beginning is.
import type { SearchWord } from '@svc/shared/search-text';
import { filterOf } from './list-plan.ts';
import type { LoadedObjects } from './list-reading.ts';
import type { SearchPage, SearchQuery, StoredObject } from './store.ts';
import type { Terms } from './terms.ts';

/** Ids of one block. */
const BLOCK_IDS = 4_096;
/** Rows of one statement. */
const STRETCH_ROWS = 256;
/** Rows that one page examines. A block without a match costs as much as this many rows. */
const EXAMINED_MAX = 20_000;
const BLOCK_COST = 32;

type MaybePromise<T> = T | Promise<T>;

/** Terms of the index that an object must have, each a word or the beginning of one. */
export type IndexTerms = readonly SearchWord[];

export interface Matches {
  /** One set of terms for each block: an object has all terms of one set. */
  readonly blocks: readonly IndexTerms[];
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly before: number;
  readonly limit: number;
}

export interface MatchRow {
  id: number;
  /** JSON of the object's terms. */
  terms: string;
}

/** An engine's statements, as a search needs them. */
export interface SearchSource {
  /** The highest id below this one that is in the index. */
  readonly indexedBefore: (id: number) => MaybePromise<number | undefined>;
  /** Blocks of one statement at most: where a statement is a round trip, a search that finds little reads several at once. */
  readonly blocksMax: number;
  /** Matching objects, by falling ids. */
  readonly matches: (matches: Matches) => MaybePromise<MatchRow[]>;
  /** The objects that still exist, in this order while they fit; the first one whatever its size. */
  readonly load: (ids: readonly number[], bytesMax: number) => MaybePromise<LoadedObjects>;
  /** Awaited between statements, so that a long search does not hold up the process. */
  readonly pause: () => Promise<void>;
}

const blockOf = (id: number): number => Math.floor(id / BLOCK_IDS);

// No word holds a colon or a hyphen, so that a word is never taken for a place.
const wordTerm = (block: number, word: string): string => `${block.toString(36)}-${word}`;
const placeTerm = (block: number, kind: string, namespace = ''): string => `${block.toString(36)}:${kind}:${namespace}`.toLowerCase();

/** All terms of an object in the index. */
export function indexTerms(id: number, { kind, namespace }: StoredObject, words: readonly string[]): string[] {
  const block = blockOf(id);
  return [placeTerm(block, kind), placeTerm(block, kind, namespace), ...words.map((word) => wordTerm(block, word))];
}

function queryTerms(block: number, { kind, namespace, words }: SearchQuery): IndexTerms {
  return [
    { text: placeTerm(block, kind, namespace), begins: false },
    ...words.map(({ text, begins }) => ({ text: wordTerm(block, text), begins })),
  ];
}

/** Throws `invalid` for a field without an index. */
export async function readSearch(source: SearchSource, query: SearchQuery, bytesMax: number): Promise<SearchPage> {
  const { ids, next } = await findIds(source, query);
  const wanted = ids.slice(0, query.limit);
  const { objects, full } = await source.load(wanted, bytesMax);
  const places = wanted.filter((id) => objects.has(id));
  const reached = full ? places.at(-1) : ids.length > wanted.length ? wanted.at(-1) : next;
  return { objects: places.flatMap((id) => objects.get(id) ?? []), places, ...(reached !== undefined && { continue: reached }) };
}

interface FoundIds {
  /** One more than the limit when there is one. */
  readonly ids: readonly number[];
  /** Place that the search has come to, when it has not come to the end. */
  readonly next?: number;
}

async function findIds(source: SearchSource, query: SearchQuery): Promise<FoundIds> {
  const { kind, namespace, limit } = query;
  const filter = filterOf(query);
  const ids: number[] = [];
  let left = EXAMINED_MAX;
  let before = query.before ?? Number.MAX_SAFE_INTEGER;
  let width = 1;
  for (let newest = await source.indexedBefore(before); newest !== undefined; newest = await source.indexedBefore(before)) {
    const oldest = Math.max(0, blockOf(newest) - width + 1);
    const blocks = Array.from({ length: blockOf(newest) - oldest + 1 }, (_, i) => queryTerms(oldest + i, query));
    const rows = await source.matches({ blocks, kind, namespace, before, limit: STRETCH_ROWS });
    ids.push(...rows.filter((row) => !filter || filter(JSON.parse(row.terms) as Terms)).map(({ id }) => id));
    before = rows.length < STRETCH_ROWS ? oldest * BLOCK_IDS : (rows.at(-1)?.id ?? 0);
    if (ids.length > limit) return { ids };
    left -= Math.max(BLOCK_COST * blocks.length, rows.length);
    if (left <= 0) return { ids, next: before };
    width = Math.min(source.blocksMax, 2 * width);
    await source.pause();
  }
  return { ids };
}
