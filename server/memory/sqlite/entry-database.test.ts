// The database of one Memory: nearest vectors in large collections, bounded searches by words, files of an earlier version.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { EntryDatabase } from './entry-database.ts';
import { SignList } from './sign-list.ts';
import { SignSpace } from './sign-space.ts';

const BYTES_MAX = 512 * 1024 * 1024;
const open = (path = ':memory:') => new EntryDatabase({ path, bytesMax: BYTES_MAX });

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

function databaseFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-entries-'));
  ends.push(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'entries.db');
}

/** Repeatable numbers around 0. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
}

const vectorOf = (dimensions: number, next: () => number) => Float32Array.from({ length: dimensions }, next);

function cosine(one: Float32Array, other: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

describe('the nearest of many vectors', () => {
  it.each([3, 40, 384])('are found with %i dimensions, best first', (dimensions) => {
    const next = numbers(7);
    const database = open();
    const vectors = Array.from({ length: 4_000 }, () => vectorOf(dimensions, next));
    database.write({ puts: vectors.map((vector, index) => ({ key: `k${index}`, value: '', vector })), deletes: [] });
    let hits = 0;
    for (let query = 0; query < 20; query += 1) {
      const noise = vectorOf(dimensions, next);
      const vector = vectors[query * 31]!.map((value, at) => value + 0.5 * noise[at]!);
      const best = vectors.map((other, index) => ({ key: `k${index}`, score: cosine(vector, other) })).sort((a, b) => b.score - a.score);
      const found = database.search({ query: 'x', vector, limit: 10, bytesMax: BYTES_MAX });
      expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
      expect(found[0]?.score).toBeCloseTo(best[0]!.score, 5);
      hits += found.filter(({ key }) => best.slice(0, 10).some((other) => other.key === key)).length;
    }
    expect(hits).toBeGreaterThan(180);
  });

  it('follow writes and deletions after the first search and a failed transaction', () => {
    const database = open();
    const put = (key: string, ...values: number[]) =>
      database.write({ puts: [{ key, value: key, vector: Float32Array.from(values) }], deletes: [] });
    const nearest = () =>
      database.search({ query: 'x', vector: Float32Array.from([1, 0, 0]), limit: 10, bytesMax: BYTES_MAX }).map(({ key }) => key);
    put('a', 1, 0, 0);
    expect(nearest()).toEqual(['a']);
    put('b', 1, 0.1, 0);
    put('c', 1, 0.2, 0);
    expect(nearest()).toEqual(['a', 'b', 'c']);
    database.write({ puts: [{ key: 'b', value: 'without' }], deletes: ['a'] });
    expect(nearest()).toEqual(['c']);
    const vector = Float32Array.from([1, 0]);
    expect(() => database.write({ puts: [{ key: 'd', value: '', vector }], deletes: ['c'] })).toThrow('holds vectors of 3 dimensions');
    expect(nearest()).toEqual(['c']);
    database.release();
    expect(nearest()).toEqual(['c']);
  });
});

it('signs of a list follow any order of puts and deletions', () => {
  const space = new SignSpace(8);
  const change = fc.record({ id: fc.integer({ min: 1, max: 12 }), put: fc.boolean(), seed: fc.integer({ min: 1, max: 1_000 }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.integer({ min: 0, max: 12 }), (changes, limit) => {
      const list = new SignList(space.words);
      const held = new Map<number, Uint32Array>();
      for (const { id, put, seed } of changes) {
        const signs = space.signsOf(vectorOf(8, numbers(seed)));
        if (put) list.put(id, signs);
        else list.delete(id);
        if (put) held.set(id, signs);
        else held.delete(id);
      }
      const query = space.signsOf(vectorOf(8, numbers(5)));
      const difference = (id: number) =>
        held.get(id)!.reduce((sum, word, at) => sum + ((word ^ query[at]!) >>> 0).toString(2).replaceAll('0', '').length, 0);
      const found = list.nearest(query, limit);
      expect(new Set(found).size).toBe(Math.min(limit, held.size));
      const best = [...held.keys()].map(difference).sort((a, b) => a - b);
      expect(found.map(difference).sort((a, b) => a - b)).toEqual(best.slice(0, limit));
    }),
  );
});

describe('a search by words', () => {
  it('finds the entries with a rare word among those with a common one', () => {
    const database = open();
    const puts = Array.from({ length: 5_000 }, (_, index) => ({ key: `note/${index}`, value: `the server of room ${index % 7}` }));
    puts[3] = { key: 'old', value: 'the server of the observatory' };
    puts[4] = { key: 'telescope', value: 'an observatory without one' };
    database.write({ puts, deletes: [] });
    const found = (query: string, limit = 3) => database.search({ query, vector: undefined, limit, bytesMax: BYTES_MAX });
    expect(found('server observatory', 2).map(({ key }) => key)).toEqual(['old', 'telescope']);
    expect(
      found('observator')
        .map(({ key }) => key)
        .sort(),
    ).toEqual(['old', 'telescope']);
    expect(found('server', 1_000)).toHaveLength(1_000);
    const scores = found('server observatory room', 50).map(({ score }) => score);
    expect(scores).toHaveLength(50);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });
});

it('a file of version 1 keeps its entries, and they wait for new vectors', () => {
  const path = databaseFile();
  const first = open(path);
  first.write({ puts: [{ key: 'tides', value: 'The Moon pulls the sea' }], deletes: [] });
  first.close();
  const driver = createRequire(import.meta.url)('@photostructure/sqlite') as { DatabaseSync: typeof DatabaseSync };
  const db = new driver.DatabaseSync(path);
  // Only the extension could make the virtual table itself.
  db.enableDefensive(false);
  db.exec(`
    DROP TABLE embeddings;
    DROP TABLE signs;
    CREATE TABLE vectors_rowids (rowid INTEGER PRIMARY KEY);
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
      VALUES ('table', 'vectors', 'vectors', 0, 'CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, whole float[3])');
    PRAGMA writable_schema = OFF;
    INSERT INTO settings (name, value) VALUES ('dimensions', 3);
    PRAGMA user_version = 1;
  `);
  db.close();
  const second = open(path);
  expect(second.facts()).toEqual({ entries: 1, dimensions: undefined, unembedded: 1 });
  expect(second.search({ query: 'moon', vector: undefined, limit: 10, bytesMax: BYTES_MAX })).toHaveLength(1);
  const [entry] = second.unembedded({ limit: 10 });
  second.embed({ puts: [{ ...entry!, vector: Float32Array.from([1, 0]) }] });
  expect(second.facts()).toEqual({ entries: 1, dimensions: 2, unembedded: 0 });
  second.close();
});

it('is near its limit once most of it is in use', () => {
  const database = new EntryDatabase({ path: databaseFile(), bytesMax: 4 * 1024 * 1024 });
  ends.push(() => database.close());
  expect(database.isNearLimit).toBe(false);
  database.write({ puts: [{ key: 'k', value: 'x'.repeat(3_900_000) }], deletes: [] });
  expect(database.isNearLimit).toBe(true);
  database.write({ puts: [], deletes: ['k'] });
  expect(database.isNearLimit).toBe(false);
});
