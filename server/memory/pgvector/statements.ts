// Statements on the entries of one table. Values are parameters; the name of the table is quoted by entry-table.ts.
import type { Entry, EntryPage, EntryPut, ListQuery, ScoredEntry } from '../backend.ts';
import { searchWords } from '../search-words.ts';
import type { Query } from './connections.ts';
import { comparedBy, type EntryTable } from './entry-table.ts';

/** A page or the results of a search end before they hold more. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Parameters of one statement. */
const PUTS_AT_ONCE = 200;
const PUT_BYTES_MAX = 4 * 1024 * 1024;
/** Characters of a value that are searched by words. */
const WORDS_MAX_CHARS = 100_000;

interface Row {
  readonly key: string;
  readonly value: string;
  /** UTF-8 of a value with U+0000, which no text of PostgreSQL can hold; `value` is empty then. */
  readonly raw: Buffer | null;
}

const entryOf = ({ key, value, raw }: Row): Entry => ({ key, value: raw === null ? value : raw.toString() });
const textOf = (value: string): string => (value.includes('\0') ? '' : value);
const rawOf = (value: string): Buffer | null => (value.includes('\0') ? Buffer.from(value) : null);
/** Nine digits are all that a number of four bytes has. */
const literalOf = (vector: Float32Array): string => `[${Array.from(vector, (number) => Number(number.toPrecision(9))).join()}]`;

export async function get(query: Query, { name }: EntryTable, key: string): Promise<string | undefined> {
  const [row] = await query<Row>(`SELECT key, value, raw FROM ${name} WHERE key = $1`, [key]);
  return row && entryOf(row).value;
}

export async function list(query: Query, { name }: EntryTable, { prefix, after, limit }: ListQuery): Promise<EntryPage> {
  const from = `key >= $1 AND ($2::text IS NULL OR key > $2) AND ($3::text IS NULL OR key < $3)`;
  const rows = await query<Row & { more: boolean }>(
    fitting(`SELECT key, value, raw, key AS place FROM ${name} WHERE ${from} ORDER BY key LIMIT $4::int + 1`, '$4::int'),
    [prefix, after ?? null, endOf(prefix) ?? null, limit],
  );
  return { entries: rows.map(entryOf), next: rows.at(-1)?.more === true ? rows.at(-1)?.key : undefined };
}

/** Keys with the prefix; others that ask for the same wait until the transaction ends. */
export async function lockKeys(query: Query, { name }: EntryTable, prefix: string): Promise<string[]> {
  await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${name} ${prefix}`]);
  const sql = `SELECT key FROM ${name} WHERE key >= $1 AND ($2::text IS NULL OR key < $2) ORDER BY key`;
  return (await query<Row>(sql, [prefix, endOf(prefix) ?? null])).map(({ key }) => key);
}

/** The nearest entries by the cosine of their vectors. */
export async function searchByVector(
  query: Query,
  { name, dimensions = 0 }: EntryTable,
  { vector, limit }: { readonly vector: Float32Array; readonly limit: number },
): Promise<ScoredEntry[]> {
  const { expression, type } = comparedBy(dimensions);
  const distance = `${expression} <=> $1::${type}`;
  const nearest = `SELECT key, value, raw, ${distance} AS place FROM ${name} WHERE vector IS NOT NULL ORDER BY ${distance} LIMIT $2::int`;
  const rows = await query<Row & { place: number }>(fitting(nearest, '$2::int'), [literalOf(vector), limit]);
  // The distance from a vector of zeros is not a number.
  return rows.map((row) => ({ ...entryOf(row), score: Math.min(1, Math.max(0, 1 - row.place)) || 0 }));
}

/** Entries with every word come first, then those with some. */
export async function searchByWords(
  query: Query,
  { name }: EntryTable,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<ScoredEntry[]> {
  const terms = searchWords(text.normalize('NFD').replace(/\p{M}/gu, '')).map((word) => `'${word.text}'${word.begins ? ':*' : ''}`);
  if (terms.length === 0) return [];
  const plain = `regexp_replace(normalize(key || ' ' || left(value, ${WORDS_MAX_CHARS}), NFD), '[\\u0300-\\u036f]', '', 'g')`;
  const scored = `SELECT key, value, raw, CASE WHEN words @@ to_tsquery('english', $1)
      THEN 0.5 + 0.5 * ts_rank(words, to_tsquery('english', $1), 32) ELSE 0.05 + 0.45 * ts_rank(words, to_tsquery('english', $2), 32) END AS score
    FROM (SELECT key, value, raw, to_tsvector('english', ${plain}) AS words FROM ${name}) AS texts WHERE words @@ to_tsquery('english', $2)`;
  const best = `SELECT key, value, raw, -score AS place FROM (${scored}) AS scored ORDER BY score DESC, key LIMIT $3::int`;
  const rows = await query<Row & { place: number }>(fitting(best, '$3::int'), [terms.join(' & '), terms.join(' | '), limit]);
  return rows.map((row) => ({ ...entryOf(row), score: -row.place }));
}

/** Keys that were new. */
export async function put(query: Query, table: EntryTable, puts: readonly EntryPut[]): Promise<string[]> {
  const created: string[] = [];
  for (const batch of batches(puts)) created.push(...(await putBatch(query, table, batch)));
  return created;
}

/** Keys that existed. */
export async function remove(query: Query, { name }: EntryTable, gone: readonly string[]): Promise<string[]> {
  return (await query<Row>(`DELETE FROM ${name} WHERE key = ANY($1::text[]) RETURNING key`, [gone])).map(({ key }) => key);
}

export async function countUnembedded(query: Query, { name, dimensions }: EntryTable): Promise<number> {
  const without = dimensions === undefined ? '' : 'WHERE vector IS NULL';
  // A table of any size is counted to a bound: it matters whether there are some.
  const [row] = await query<{ n: number }>(`SELECT count(*)::int AS n FROM (SELECT 1 FROM ${name} ${without} LIMIT 1000) AS counted`);
  return row?.n ?? 0;
}

export async function unembedded(query: Query, { name, dimensions }: EntryTable, limit: number): Promise<Entry[]> {
  const without = dimensions === undefined ? '' : 'WHERE vector IS NULL';
  return (await query<Row>(`SELECT key, value, raw FROM ${name} ${without} ORDER BY key LIMIT $1`, [limit])).map(entryOf);
}

/** Adds vectors to entries whose value is still the same. */
export async function embed(query: Query, { name }: EntryTable, puts: readonly EntryPut[]): Promise<void> {
  for (const { key, value, vector } of puts) {
    const sql = `UPDATE ${name} SET vector = $4::vector WHERE key = $1 AND value = $2 AND raw IS NOT DISTINCT FROM $3`;
    if (vector) await query(sql, [key, textOf(value), rawOf(value), literalOf(vector)]);
  }
}

async function putBatch(query: Query, { name, dimensions }: EntryTable, puts: readonly EntryPut[]): Promise<string[]> {
  const columns = [puts.map(({ key }) => key), puts.map(({ value }) => textOf(value)), puts.map(({ value }) => rawOf(value))];
  const vectors = puts.map(({ vector }) => (vector ? literalOf(vector) : null));
  const [more, replaced, parameter] = dimensions === undefined ? ['', '', ''] : [', vector', ', vector = excluded.vector', ', $4::text[]'];
  const rows = await query<{ key: string; created: boolean }>(
    `INSERT INTO ${name} (key, value, raw${more})
     SELECT k, v, r${more === '' ? '' : ', e::vector'} FROM unnest($1::text[], $2::text[], $3::bytea[]${parameter}) AS puts(k, v, r${more === '' ? '' : ', e'})
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, raw = excluded.raw${replaced}
     RETURNING key, xmax = 0 AS created`,
    dimensions === undefined ? columns : [...columns, vectors],
  );
  return rows.filter(({ created }) => created).map(({ key }) => key);
}

/** Parts of a size that one statement can carry. */
function batches(puts: readonly EntryPut[]): EntryPut[][] {
  const parts: EntryPut[][] = [];
  let bytes = Infinity;
  for (const put of puts) {
    const size = put.value.length + (put.vector?.length ?? 0) * 12;
    const last = parts.at(-1);
    if (!last || last.length >= PUTS_AT_ONCE || bytes + size > PUT_BYTES_MAX) {
      parts.push([put]);
      bytes = size;
    } else {
      last.push(put);
      bytes += size;
    }
  }
  return parts;
}

/** The rows of a query, in the order of their `place`, up to a limit and to the bytes of an answer, but one at least; `more` says that some are left out. */
function fitting(sql: string, limit: string): string {
  return `SELECT key, value, raw, place, fetched > returned AS more FROM (
      SELECT *, count(*) OVER () AS returned FROM (
        SELECT *, count(*) OVER () AS fetched, row_number() OVER (ORDER BY place, key) AS number,
          sum(octet_length(value) + coalesce(octet_length(raw), 0)) OVER (ORDER BY place, key) AS bytes
        FROM (${sql}) AS fetched) AS sized
      WHERE number <= ${limit} AND (number = 1 OR bytes <= ${ANSWER_BYTES_MAX})) AS cut
    ORDER BY place, key`;
}

/** The first text behind all that begin with the prefix, in the order of their bytes; undefined where there is none. */
function endOf(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // The code points of surrogates are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
