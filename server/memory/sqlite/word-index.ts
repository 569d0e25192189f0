// Full-text index over the entries of one database: what is ranked is bounded, however many entries hold the words of a query.
import { searchWords, type SearchWord } from '../search-words.ts';
import type { Statements } from './statements.ts';

export interface Match {
  readonly id: number;
  /** 0 to 1. */
  readonly score: number;
}

/** Words in a key tell more about an entry than words in its value. */
const RANK = 'bm25(words, 2.0, 1.0)';
/** Entries that a query ranks: of more matches, the newest. */
const RANKED_MAX = 2_000;
/** A word in this many entries is common: it matches whole, and orders the entries that hold rarer words. */
const COMMON_MIN = 2_000;
/** Ranking by a common word costs by the number of entries that hold it. */
const COMMON_RANKED_MAX = 2;

const HOLDS = `SELECT count(*) AS n FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ${COMMON_MIN})`;
const RANKED = `
  SELECT id, rank FROM (SELECT rowid AS id, ${RANK} AS rank FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ${RANKED_MAX})
  ORDER BY rank LIMIT ?`;

export class WordIndex {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  put(id: number, { key, value }: { readonly key: string; readonly value: string }): void {
    this.#statements.run('INSERT INTO words (rowid, key, value) VALUES (?, ?, ?)', id, key, value.replaceAll('\0', ' '));
  }

  delete(id: number): void {
    this.#statements.run('DELETE FROM words WHERE rowid = ?', id);
  }

  /** Entries with every word come first, then those with some. */
  matching(text: string, limit: number): Match[] {
    const terms = searchWords(text).map((word) => this.#termOf(word));
    if (terms.length === 0) return [];
    const found = new Map<number, Match>();
    const add = (match: string, [from, to]: readonly [number, number]): void => {
      if (found.size >= limit) return;
      for (const { id, rank } of this.#statements.all<RankedEntry>(RANKED, match, limit)) {
        if (!found.has(id) && found.size < limit) found.set(id, { id, score: from + (to - from) * scaledRank(rank) });
      }
    };
    add(allOf(terms), [0.5, 1]);
    const rare = terms.filter(({ isCommon }) => !isCommon);
    const common = terms.filter(({ isCommon }) => isCommon);
    if (terms.length > 1 && rare.length > 0) add(rankedBy(rare, common), [common.length > 0 ? 0.2 : 0.05, 0.5]);
    if (terms.length > 1 && common.length > 0) add(anyOf(common), [0.05, rare.length > 0 ? 0.2 : 0.5]);
    return [...found.values()];
  }

  #termOf({ text, begins }: SearchWord): Term {
    const whole = `"${text}"`;
    const isCommon = (this.#statements.get<{ n: number }>(HOLDS, whole)?.n ?? 0) >= COMMON_MIN;
    return { match: begins && !isCommon ? `${whole}*` : whole, isCommon };
  }
}

interface Term {
  /** In the query language of FTS5. */
  readonly match: string;
  readonly isCommon: boolean;
}

interface RankedEntry {
  readonly id: number;
  /** Negative; lower is better. */
  readonly rank: number;
}

const allOf = (terms: readonly Term[]): string => terms.map(({ match }) => match).join(' AND ');
const anyOf = (terms: readonly Term[]): string => terms.map(({ match }) => match).join(' OR ');

/** Entries with any of the rare words; common words only take part in their order. */
const rankedBy = (rare: readonly Term[], common: readonly Term[]): string =>
  common.length === 0 ? anyOf(rare) : `(${anyOf(rare)}) AND (${anyOf([...rare, ...common.slice(0, COMMON_RANKED_MAX)])})`;

const scaledRank = (rank: number): number => -rank / (1 - rank);
