// The database of one Memory: its entries, the full-text index over them, and their vectors. Runs in the thread of thread-program.ts.
import { createRequire } from 'node:module';
import { replacedSegments } from '../chunks.ts';
import type { Answers, DatabaseFacts, EntryPut, FoundEntry, PageAnswer, RequestOf, StoredEntry } from './requests.ts';
import { prepareSchema } from './schema.ts';
import { Statements, type Database } from './statements.ts';
import { VectorIndex } from './vector-index.ts';
import { WordIndex } from './word-index.ts';

type Driver = { readonly DatabaseSync: new (path: string) => Database };

const require = createRequire(import.meta.url);

const PAGE_BYTES = 4_096;
const CACHE_KIB = 8_192;
/** Part of the size limit of a file in use; the rest is more than the largest write takes. */
const NEAR_LIMIT = 0.9;
const JOURNAL_BYTES_MAX = 16 * 1024 * 1024;

export interface DatabaseSettings {
  /** `:memory:` or a file. */
  readonly path: string;
  readonly bytesMax: number;
}

/** Throws DatabaseProblem, or errors of the driver, from every method. */
export class EntryDatabase {
  readonly #db: Database;
  readonly #statements: Statements;
  readonly #words: WordIndex;
  readonly #vectors: VectorIndex;
  /** No entry with a lower id lacks a vector. */
  #unembeddedFrom = 0;

  constructor({ path, bytesMax }: DatabaseSettings) {
    const driver = require('@photostructure/sqlite') as Driver;
    this.#db = new driver.DatabaseSync(path);
    try {
      configure(this.#db, bytesMax);
      prepareSchema(this.#db);
      this.#statements = new Statements(this.#db);
      this.#words = new WordIndex(this.#statements);
      this.#vectors = new VectorIndex(this.#statements);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Memory that it holds beside the cache of the driver. */
  get heldBytes(): number {
    return this.#vectors.bytes;
  }

  /** Gives that memory back; the next search reads it again. */
  release(): void {
    this.#vectors.release();
  }

  /** True when a write may have failed for the size limit of its file. */
  get isNearLimit(): boolean {
    const used = this.#statements.get<{ part: number }>(
      'SELECT 1.0 * (page_count - freelist_count) / max_page_count AS part FROM pragma_page_count, pragma_freelist_count, pragma_max_page_count',
    );
    return (used?.part ?? 0) > NEAR_LIMIT;
  }

  facts(): DatabaseFacts {
    const { entries } = this.#statements.get<{ entries: number }>('SELECT count(*) AS entries FROM entries') ?? { entries: 0 };
    return { entries, dimensions: this.#vectors.dimensions, unembedded: entries - this.#vectors.count() };
  }

  get({ key }: RequestOf<'get'>): string | undefined {
    const row = this.#statements.get<{ value: StoredText }>('SELECT value FROM entries WHERE key = ?', key);
    return row && valueOf(row.value);
  }

  list({ prefix, after, limit, bytesMax }: RequestOf<'list'>): PageAnswer {
    const entries: StoredEntry[] = [];
    let bytes = 0;
    // Keys are ordered by their bytes, so those with the prefix are neighbours.
    const isPast = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(prefix)) >= 0;
    const sql = `SELECT key, value FROM entries WHERE key ${isPast ? '>' : '>='} ? ORDER BY key`;
    for (const row of this.#statements.iterate<Row>(sql, isPast ? after : prefix)) {
      if (!row.key.startsWith(prefix)) break;
      const entry = entryOf(row);
      bytes += entry.value.length;
      if (entries.length >= limit || (entries.length > 0 && bytes > bytesMax)) return { entries, more: true };
      entries.push(entry);
    }
    return { entries, more: false };
  }

  search({ query, vector, limit, bytesMax }: RequestOf<'search'>): FoundEntry[] {
    const results: FoundEntry[] = [];
    let bytes = 0;
    for (const { id, score } of vector ? this.#vectors.nearest(vector, limit) : this.#words.matching(query, limit)) {
      const row = this.#statements.get<Row>('SELECT key, value FROM entries WHERE id = ?', id);
      if (!row) continue;
      const entry = entryOf(row);
      bytes += entry.value.length;
      if (results.length > 0 && bytes > bytesMax) break;
      results.push({ ...entry, score });
    }
    return results;
  }

  write({ puts, deletes, replaces: prefix }: RequestOf<'write'>): Answers['write'] {
    return this.#inTransaction(() => {
      const replaced = prefix === undefined ? [] : replacedSegments(this.#keys(prefix), { prefix, puts });
      const deleted = [...deletes, ...replaced].filter((key) => this.#delete(key));
      const created = puts.filter((put) => this.#put(put)).map(({ key }) => key);
      return { created, deleted };
    });
  }

  /** Entries without a vector, oldest first. */
  unembedded({ limit }: RequestOf<'unembedded'>): StoredEntry[] {
    const rows = this.#statements.all<Row & { id: number }>(
      `SELECT id, key, value FROM entries WHERE id >= ? AND NOT EXISTS (SELECT 1 FROM signs WHERE signs.id = entries.id)
       ORDER BY id LIMIT ?`,
      this.#unembeddedFrom,
      limit,
    );
    this.#unembeddedFrom = rows[0]?.id ?? this.#unembeddedFrom;
    return rows.map(entryOf);
  }

  embed({ puts }: RequestOf<'embed'>): undefined {
    this.#inTransaction(() => {
      for (const { key, value, vector } of puts) {
        const row = this.#statements.get<{ id: number; value: StoredText }>('SELECT id, value FROM entries WHERE key = ?', key);
        if (row && vector && valueOf(row.value) === value) this.#vectors.put(row.id, vector);
      }
    });
    return undefined;
  }

  #keys(prefix: string): string[] {
    const keys: string[] = [];
    for (const { key } of this.#statements.iterate<{ key: string }>('SELECT key FROM entries WHERE key >= ? ORDER BY key', prefix)) {
      if (!key.startsWith(prefix)) break;
      keys.push(key);
    }
    return keys;
  }

  /** True for a new key. */
  #put({ key, value, vector }: EntryPut): boolean {
    const known = this.#statements.get<{ id: number }>('SELECT id FROM entries WHERE key = ?', key);
    if (known) this.#words.delete(known.id);
    const row = this.#statements.get<{ id: number }>(
      'INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING id',
      key,
      stored(value),
    );
    const id = row?.id ?? 0;
    this.#words.put(id, { key, value });
    if (vector) this.#vectors.put(id, vector);
    else this.#withoutVector(id);
    return !known;
  }

  #withoutVector(id: number): void {
    this.#vectors.delete(id);
    this.#unembeddedFrom = Math.min(this.#unembeddedFrom, id);
  }

  #delete(key: string): boolean {
    const row = this.#statements.get<{ id: number }>('DELETE FROM entries WHERE key = ? RETURNING id', key);
    if (!row) return false;
    this.#words.delete(row.id);
    this.#vectors.delete(row.id);
    return true;
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      this.#db.exec('COMMIT');
      return value;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#vectors.forget();
      this.#unembeddedFrom = 0;
      throw error;
    }
  }
}

function configure(db: Database, bytesMax: number): void {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  db.exec('PRAGMA journal_mode = WAL');
  // A commit is on the disk before it is acknowledged.
  db.exec('PRAGMA synchronous = FULL');
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.exec(`PRAGMA journal_size_limit = ${JOURNAL_BYTES_MAX}`);
  db.exec(`PRAGMA max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`);
  db.exec('PRAGMA temp_store = MEMORY');
}

/** Text, or the bytes of a text that holds U+0000, at which the driver would cut it. */
type StoredText = string | Uint8Array;

interface Row {
  readonly key: string;
  readonly value: StoredText;
}

const stored = (value: string): StoredText => (value.includes('\0') ? Buffer.from(value) : value);
const valueOf = (value: StoredText): string => (typeof value === 'string' ? value : Buffer.from(value).toString());
const entryOf = ({ key, value }: Row): StoredEntry => ({ key, value: valueOf(value) });
