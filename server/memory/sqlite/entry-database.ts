// The database of one Memory: its entries, the full-text index over them, and their vectors. Runs in the thread of thread-program.ts.
import { createRequire } from 'node:module';
import { getLoadablePath } from 'sqlite-vec';
import { searchWords } from '../search-words.ts';
import { DatabaseProblem } from './database-problem.ts';
import type { Answers, DatabaseFacts, EntryPut, FoundEntry, PageAnswer, RequestOf, StoredEntry } from './requests.ts';
import type { DatabaseSync } from '@photostructure/sqlite';

type Database = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Database['prepare']>;
type Driver = { readonly DatabaseSync: new (path: string, options: { allowExtension: boolean }) => Database };

const require = createRequire(import.meta.url);

const SCHEMA_VERSION = 1;
const PAGE_BYTES = 4_096;
const CACHE_KIB = 8_192;
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;

const SCHEMA = `
  CREATE TABLE entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(
    key, value, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='3 4 5'
  );
  CREATE TABLE settings (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
`;

/** Words in a key tell more about an entry than words in its value. */
const RANK = 'bm25(words, 2.0, 1.0)';
/** Collections past this size are searched by the signs of their vectors first, and the nearest of those exactly. */
const EXACT_MAX = 20_000;
const CANDIDATES_MIN = 128;
const CANDIDATES_PER_RESULT = 8;
/** The vector index takes no more neighbours. */
const CANDIDATES_MAX = 4_096;

export interface DatabaseSettings {
  /** `:memory:` or a file. */
  readonly path: string;
  readonly bytesMax: number;
}

/** Throws DatabaseProblem from every method. */
export class EntryDatabase {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  #dimensions: number | undefined;

  constructor({ path, bytesMax }: DatabaseSettings) {
    const driver = require('@photostructure/sqlite') as Driver;
    this.#db = new driver.DatabaseSync(path, { allowExtension: true });
    try {
      this.#open(bytesMax);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  #open(bytesMax: number): void {
    const db = this.#db;
    db.enableLoadExtension(true);
    db.loadExtension(getLoadablePath());
    db.enableLoadExtension(false);
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    db.exec('PRAGMA journal_mode = WAL');
    // A commit is on the disk before it is acknowledged.
    db.exec('PRAGMA synchronous = FULL');
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    db.exec(`PRAGMA journal_size_limit = ${JOURNAL_BYTES_MAX}`);
    db.exec(`PRAGMA max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`);
    db.exec('PRAGMA temp_store = MEMORY');
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > SCHEMA_VERSION)
      throw new DatabaseProblem('unusable', 'was written by a later version of this service; start that version');
    if (version === 0) this.#inTransaction(() => db.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`));
    const known = this.#get<{ value: number }>("SELECT value FROM settings WHERE name = 'dimensions'");
    this.#dimensions = known?.value;
  }

  close(): void {
    this.#db.close();
  }

  facts(): DatabaseFacts {
    const { entries } = this.#get<{ entries: number }>('SELECT count(*) AS entries FROM entries') ?? { entries: 0 };
    return { entries, dimensions: this.#dimensions, unembedded: entries - this.#vectorCount() };
  }

  get({ key }: RequestOf<'get'>): string | undefined {
    const row = this.#get<{ value: Stored }>('SELECT value FROM entries WHERE key = ?', key);
    return row && valueOf(row.value);
  }

  list({ prefix, after, limit, bytesMax }: RequestOf<'list'>): PageAnswer {
    const entries: StoredEntry[] = [];
    let bytes = 0;
    // Keys are ordered by their bytes, so those with the prefix are neighbours.
    const isPast = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const sql = `SELECT key, value FROM entries WHERE key ${isPast ? '>' : '>='} ? ORDER BY key`;
    const rows = this.#prepare(sql).iterate(isPast ? after : prefix);
    for (const row of rows as Iterable<{ key: string; value: Stored }>) {
      if (!row.key.startsWith(prefix)) break;
      const entry = { key: row.key, value: valueOf(row.value) };
      bytes += entry.value.length;
      if (entries.length >= limit || (entries.length > 0 && bytes > bytesMax)) return { entries, more: true };
      entries.push(entry);
    }
    return { entries, more: false };
  }

  keys({ prefix }: RequestOf<'keys'>): string[] {
    const keys: string[] = [];
    for (const { key } of this.#prepare('SELECT key FROM entries WHERE key >= ? ORDER BY key').iterate(prefix) as Iterable<{
      key: string;
    }>) {
      if (!key.startsWith(prefix)) break;
      keys.push(key);
    }
    return keys;
  }

  search({ query, vector, limit }: RequestOf<'search'>): FoundEntry[] {
    const found = vector ? this.#nearest(vector, limit) : this.#matching(query, limit);
    return found.flatMap(({ id, score }) => {
      const row = this.#get<{ key: string; value: Stored }>('SELECT key, value FROM entries WHERE id = ?', id);
      return row ? [{ key: row.key, value: valueOf(row.value), score }] : [];
    });
  }

  write({ puts, deletes }: RequestOf<'write'>): Answers['write'] {
    return this.#inTransaction(() => {
      const deleted = deletes.filter((key) => this.#delete(key));
      const created = puts.filter((put) => this.#put(put)).map(({ key }) => key);
      return { created, deleted };
    });
  }

  /** Entries without a vector, oldest first. */
  unembedded({ limit }: RequestOf<'unembedded'>): StoredEntry[] {
    const without = this.#dimensions === undefined ? '' : 'WHERE id NOT IN (SELECT rowid FROM vectors_rowids)';
    const rows = this.#prepare(`SELECT key, value FROM entries ${without} ORDER BY id LIMIT ?`).all(limit);
    return (rows as { key: string; value: Stored }[]).map(({ key, value }) => ({ key, value: valueOf(value) }));
  }

  embed({ puts }: RequestOf<'embed'>): undefined {
    this.#inTransaction(() => {
      for (const { key, value, vector } of puts) {
        const row = this.#get<{ id: number; value: Stored }>('SELECT id, value FROM entries WHERE key = ?', key);
        if (row && vector && valueOf(row.value) === value) this.#putVector(row.id, vector);
      }
    });
    return undefined;
  }

  /** True for a new key. */
  #put({ key, value, vector }: EntryPut): boolean {
    const known = this.#get<{ id: number }>('SELECT id FROM entries WHERE key = ?', key);
    if (known) this.#run('DELETE FROM words WHERE rowid = ?', known.id);
    const row = this.#get<{ id: number }>(
      'INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING id',
      key,
      stored(value),
    );
    const id = row?.id ?? 0;
    this.#run('INSERT INTO words (rowid, key, value) VALUES (?, ?, ?)', id, key, value.replaceAll('\0', ' '));
    if (vector) this.#putVector(id, vector);
    else this.#deleteVector(id);
    return !known;
  }

  #delete(key: string): boolean {
    const row = this.#get<{ id: number }>('DELETE FROM entries WHERE key = ? RETURNING id', key);
    if (!row) return false;
    this.#run('DELETE FROM words WHERE rowid = ?', row.id);
    this.#deleteVector(row.id);
    return true;
  }

  #putVector(id: number, vector: Float32Array): void {
    if (this.#dimensions === undefined) this.#createVectors(vector.length);
    this.#requireDimensions(vector);
    this.#deleteVector(id);
    const bytes = bytesOf(vector);
    if (hasSigns(vector.length))
      this.#run('INSERT INTO vectors (id, whole, signs) VALUES (?, ?, vec_quantize_binary(?))', BigInt(id), bytes, bytes);
    else this.#run('INSERT INTO vectors (id, whole) VALUES (?, ?)', BigInt(id), bytes);
  }

  #deleteVector(id: number): void {
    if (this.#dimensions !== undefined) this.#run('DELETE FROM vectors WHERE id = ?', BigInt(id));
  }

  #createVectors(dimensions: number): void {
    const signs = hasSigns(dimensions) ? `, signs bit[${dimensions}]` : '';
    this.#db.exec(
      `CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, whole float[${dimensions}] distance_metric=cosine${signs})`,
    );
    this.#run("INSERT INTO settings (name, value) VALUES ('dimensions', ?)", dimensions);
    this.#dimensions = dimensions;
  }

  #requireDimensions(vector: Float32Array): void {
    const dimensions = this.#dimensions;
    if (dimensions === undefined || vector.length === dimensions) return;
    throw new DatabaseProblem(
      'wrong_dimensions',
      `holds vectors of ${dimensions} dimensions, and the embedding model sent ${vector.length}`,
    );
  }

  #vectorCount(): number {
    return this.#dimensions === undefined ? 0 : (this.#get<{ n: number }>('SELECT count(*) AS n FROM vectors_rowids')?.n ?? 0);
  }

  #nearest(vector: Float32Array, limit: number): Scored[] {
    if (this.#dimensions === undefined) return [];
    this.#requireDimensions(vector);
    const bytes = bytesOf(vector);
    const rows =
      this.#vectorCount() > EXACT_MAX && hasSigns(vector.length) ? this.#nearestBySigns(bytes, limit) : this.#nearestExactly(bytes, limit);
    // A vector of zeros has no distance, and would come first.
    return rows.map(({ id, distance }) => ({ id, score: Math.max(0, 1 - (distance ?? 1)) })).sort((a, b) => b.score - a.score);
  }

  #nearestExactly(bytes: Uint8Array, limit: number): Neighbour[] {
    return this.#prepare('SELECT id, distance FROM vectors WHERE whole MATCH ? AND k = ? ORDER BY distance').all(
      bytes,
      limit,
    ) as Neighbour[];
  }

  #nearestBySigns(bytes: Uint8Array, limit: number): Neighbour[] {
    const candidates = Math.min(CANDIDATES_MAX, Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT));
    return this.#prepare(
      `WITH near AS MATERIALIZED (SELECT id, whole FROM vectors WHERE signs MATCH vec_quantize_binary(?) AND k = ?)
       SELECT id, vec_distance_cosine(whole, ?) AS distance FROM near ORDER BY distance LIMIT ?`,
    ).all(bytes, candidates, bytes, limit) as Neighbour[];
  }

  /** Entries with every word come first, then those with some. */
  #matching(text: string, limit: number): Scored[] {
    const query = keywordQuery(text);
    if (!query) return [];
    const all = this.#ranked(query.all, limit).map(({ id, rank }) => ({ id, score: 0.5 + 0.5 * squashed(rank) }));
    if (all.length >= limit || query.any === undefined) return all;
    const known = new Set(all.map(({ id }) => id));
    const some = this.#ranked(query.any, limit)
      .filter(({ id }) => !known.has(id))
      .map(({ id, rank }) => ({ id, score: 0.05 + 0.45 * squashed(rank) }));
    return [...all, ...some].slice(0, limit);
  }

  #ranked(match: string, limit: number): Ranked[] {
    const sql = `SELECT rowid AS id, ${RANK} AS rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?`;
    return this.#prepare(sql).all(match, limit) as Ranked[];
  }

  #inTransaction<T>(work: () => T): T {
    const dimensions = this.#dimensions;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      this.#db.exec('COMMIT');
      return value;
    } catch (error) {
      this.#dimensions = dimensions;
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #get<Row>(sql: string, ...values: Bound[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  #run(sql: string, ...values: Bound[]): void {
    this.#prepare(sql).run(...values);
  }
}

type Bound = string | number | bigint | Uint8Array;
/** Text, or the bytes of a text that holds U+0000, at which the driver would cut it. */
type Stored = string | Uint8Array;

interface Scored {
  readonly id: number;
  readonly score: number;
}

interface Neighbour {
  readonly id: number;
  /** Null for a vector of zeros. */
  readonly distance: number | null;
}

interface Ranked {
  readonly id: number;
  /** Negative; lower is better. */
  readonly rank: number;
}

const stored = (value: string): Stored => (value.includes('\0') ? Buffer.from(value) : value);
const valueOf = (value: Stored): string => (typeof value === 'string' ? value : Buffer.from(value).toString());
const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
const hasSigns = (dimensions: number): boolean => dimensions % 8 === 0;
const squashed = (rank: number): number => -rank / (1 - rank);

/** Entries with every word, and those with at least one; undefined for a query without words, `any` for one of a single word. */
function keywordQuery(text: string): { readonly all: string; readonly any: string | undefined } | undefined {
  const terms = searchWords(text).map((word) => (word.begins ? `"${word.text}"*` : `"${word.text}"`));
  if (terms.length === 0) return undefined;
  return { all: terms.join(' AND '), any: terms.length > 1 ? terms.join(' OR ') : undefined };
}
