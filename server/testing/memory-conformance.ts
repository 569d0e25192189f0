// Conformance suite of providers of Memories: every provider passes it, over its real backend.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { EntryPut, MemoryBackend, MemoryProvider, MemoryTarget } from '../memory/backend.ts';
import { CallError } from '../engine/ports.ts';

export interface MemoryConformance {
  /** Called only in tests, once the provider's server is up. */
  readonly provider: () => MemoryProvider;
  readonly spec: () => MemorySpec;
  /** Whether its backends keep vectors; others search in a way of their own. */
  readonly keepsVectors: boolean;
  /** Whether concurrent writes can be tried: each is one transaction, and its server takes several connections. */
  readonly writesAtOnce: boolean;
  /** Whether keys are found by stems, beginnings of words and without accents. */
  readonly searchesWords: boolean;
}

const signal = () => AbortSignal.timeout(60_000);
const vectorOf = (...numbers: number[]) => Float32Array.from(numbers);

export function memoryTarget(spec: MemorySpec, more: Partial<MemoryTarget> = {}): MemoryTarget {
  return { namespace: 'default', name: 'notes', uid: randomUUID(), spec, secret: () => Promise.resolve(undefined), ...more };
}

export function describeMemoryProvider(name: string, conformance: MemoryConformance): void {
  const { provider, spec, keepsVectors, writesAtOnce, searchesWords } = conformance;
  const open = (more: Partial<MemoryTarget> = {}): MemoryBackend => provider().open(memoryTarget(spec(), more));
  const filled = async (...puts: EntryPut[]): Promise<MemoryBackend> => {
    const backend = open();
    await backend.write({ puts, deletes: [] }, signal());
    return backend;
  };
  const keysIn = async (backend: MemoryBackend, prefix = '', limit = 1_000, after?: string) => {
    const page = await backend.list({ prefix, after, limit }, signal());
    return { keys: page.entries.map(({ key }) => key), next: page.next };
  };

  describe(`provider ${name}`, () => {
    it('reads back every value as it was written', async () => {
      const values = ['', ' ', 'two\nlines', 'a\u0000b\u2028\u{1F600}\u202e"\\', `${'x'.repeat(256 * 1024)}`];
      const backend = await filled(...values.map((value, index) => ({ key: `k${index}`, value })));
      for (const [index, value] of values.entries()) expect(await backend.get(`k${index}`, signal())).toBe(value);
      expect(await backend.get('absent', signal())).toBeUndefined();
    });

    it('reports keys that are new and keys that were deleted', async () => {
      const backend = await filled({ key: 'a', value: '1' });
      const write = {
        puts: [
          { key: 'a', value: '2' },
          { key: 'b', value: '3' },
        ],
        deletes: ['absent'],
      };
      expect(await backend.write(write, signal())).toEqual({ created: ['b'], deleted: [] });
      expect(await backend.write({ puts: [], deletes: ['a', 'b', 'a'] }, signal())).toMatchObject({ created: [] });
      expect(await keysIn(backend)).toEqual({ keys: [], next: undefined });
    });

    it('reports a key that is deleted and written at once as new', async () => {
      const backend = await filled({ key: 'a', value: '1' });
      expect(await backend.write({ puts: [{ key: 'a', value: '2' }], deletes: ['a'] }, signal())).toEqual({
        created: ['a'],
        deleted: ['a'],
      });
      expect(await backend.get('a', signal())).toBe('2');
    });

    it('lists keys in the order of their bytes, page by page', async () => {
      const keys = ['b/2', 'b/10', 'ä', '\u{1F600}', '\uFFFD', 'a', 'B', "it's", '100%', 'a_b'];
      const backend = await filled(...keys.map((key) => ({ key, value: `value of ${key}` })));
      const ordered = [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(await keysIn(backend)).toEqual({ keys: ordered, next: undefined });
      const first = await keysIn(backend, '', 4);
      expect(first).toEqual({ keys: ordered.slice(0, 4), next: ordered[3] });
      expect(await keysIn(backend, '', 6, first.next)).toEqual({ keys: ordered.slice(4), next: undefined });
    });

    it('lists exactly the keys with a prefix', async () => {
      const keys = ['p', 'p/', 'p/1', 'p/2', 'p/\u{10FFFF}', 'p/\u{10FFFF}x', 'p0', 'q', '%', '_'];
      const backend = await filled(...keys.map((key) => ({ key, value: 'v' })));
      expect((await keysIn(backend, 'p/')).keys).toEqual(['p/', 'p/1', 'p/2', 'p/\u{10FFFF}', 'p/\u{10FFFF}x']);
      expect((await keysIn(backend, 'p/\u{10FFFF}')).keys).toEqual(['p/\u{10FFFF}', 'p/\u{10FFFF}x']);
      expect((await keysIn(backend, '_')).keys).toEqual(['_']);
      expect(await keysIn(backend, 'p/', 2, 'p/1')).toEqual({ keys: ['p/2', 'p/\u{10FFFF}'], next: 'p/\u{10FFFF}' });
      expect((await keysIn(backend, 'p/', 2, 'a')).keys).toEqual(['p/', 'p/1']);
    });

    it('ends a page with large values before it holds them all', async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `large/${String(index).padStart(2, '0')}`);
      const backend = await filled(...keys.map((key) => ({ key, value: 'x'.repeat(256 * 1024) })));
      const seen: string[] = [];
      for (let page = await keysIn(backend); ; page = await keysIn(backend, '', 1_000, page.next)) {
        expect(page.keys.length).toBeGreaterThan(0);
        seen.push(...page.keys);
        if (page.next === undefined) break;
      }
      expect(seen).toEqual(keys);
    });

    it.runIf(searchesWords)('ends the results of a search with large values before they hold them all', async () => {
      const value = `tides ${'x'.repeat(256 * 1024 - 6)}`;
      const backend = await filled(...Array.from({ length: 100 }, (_, index) => ({ key: `large/${index}`, value })));
      const found = await backend.search({ query: 'tides', vector: undefined, limit: 1_000 }, signal());
      expect(found.length).toBeGreaterThan(0);
      expect(found.reduce((sum, entry) => sum + entry.value.length, 0)).toBeLessThanOrEqual(16 * 1024 * 1024);
    });

    it.runIf(searchesWords)('takes every query as words, whatever it means to a query language', async () => {
      const backend = await filled({ key: 'tides', value: 'The tides near the key' });
      const search = async (query: string) =>
        (await backend.search({ query, vector: undefined, limit: 5 }, signal())).map(({ key }) => key);
      for (const query of [
        'key : tides',
        'NEAR(tides key, 2)',
        '^tides',
        'tides*',
        '{key value} : tides',
        "tides'; DROP TABLE entries; --",
        'tides:*',
      ])
        expect([query, (await search(query))[0]]).toEqual([query, 'tides']);
      expect(await search(Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(' '))).toEqual([]);
      expect(await search('"'.repeat(8_000))).toEqual([]);
    });

    it('writes a document of many segments', async () => {
      const puts = Array.from({ length: 1_000 }, (_, index) => ({
        key: `book/chunk-${String(index).padStart(4, '0')}`,
        value: `segment ${index}`,
        ...(keepsVectors && { vector: vectorOf(index, 1, 0) }),
      }));
      const backend = open();
      expect((await backend.write({ puts, deletes: [] }, signal())).created).toHaveLength(1_000);
      expect((await keysIn(backend, 'book/chunk-')).keys).toEqual(puts.map(({ key }) => key));
    });

    it('replaces the segments of a source and no other key', async () => {
      const others = ['book/chunk-', 'book/chunk-001', 'book/chunk-0001a', 'book/chunk-0001/x', 'bool/chunk-0001'];
      const backend = await filled(...[...others, 'book/chunk-0001', 'book/chunk-10000'].map((key) => ({ key, value: 'old' })));
      const puts = [{ key: 'book/chunk-0000', value: 'new' }];
      const { created, deleted } = await backend.write({ puts, deletes: [], replaces: 'book/chunk-' }, signal());
      expect([created, [...deleted].sort()]).toEqual([['book/chunk-0000'], ['book/chunk-0001', 'book/chunk-10000']]);
      expect((await keysIn(backend)).keys).toEqual([...others, 'book/chunk-0000'].sort());
    });

    it.runIf(writesAtOnce)('keeps one document whole of several that replace a source at once', async () => {
      const backend = open();
      await backend.ping(signal());
      const documents = [9, 1, 7, 3, 8, 2, 6, 4];
      const ingest = (length: number) => {
        const puts = Array.from({ length }, (_, index) => ({ key: `book/chunk-000${index}`, value: `of ${length}` }));
        return backend.write({ puts, deletes: [], replaces: 'book/chunk-' }, signal());
      };
      await Promise.all(documents.map(ingest));
      const { entries } = await backend.list({ prefix: '', after: undefined, limit: 100 }, signal());
      expect(entries.map(({ value }) => value)).toEqual(Array.from({ length: entries.length }, () => `of ${entries.length}`));
    });

    it('keeps Memories apart, also one of the same name that was created again', async () => {
      const backend = await filled({ key: 'a', value: '1' });
      expect(await keysIn(open({ name: 'others' }))).toMatchObject({ keys: [] });
      expect(await keysIn(open({ namespace: 'others' }))).toMatchObject({ keys: [] });
      expect(await open({ namespace: 'others' }).get('a', signal())).toBeUndefined();
      await backend.erase(signal());
      expect(await keysIn(open())).toMatchObject({ keys: [] });
    });

    it('answers to a ping, also an erased Memory', async () => {
      const backend = open();
      await backend.ping(signal());
      await backend.erase(signal());
      await backend.erase(signal());
      await expect(backend.ping(signal())).resolves.toBeDefined();
    });

    it('rejects with the reason of an aborted signal', async () => {
      const backend = open();
      await expect(backend.get('a', AbortSignal.abort(new Error('the caller left')))).rejects.toThrow('the caller left');
    });

    it.runIf(searchesWords)('finds words by stems, beginnings and without accents, best first', async () => {
      const backend = await filled(
        { key: 'tides', value: 'The tides are running high at noon' },
        { key: 'shoes', value: 'Red running shoes' },
        { key: 'city', value: 'Grüße aus Köln' },
      );
      const found = async (query: string) =>
        (await backend.search({ query, vector: undefined, limit: 10 }, signal())).map(({ key }) => key);
      expect(await found('tide run')).toEqual(['tides', 'shoes']);
      expect(await found('koln')).toEqual(['city']);
      expect(await found('what are the shoe')).toEqual(['shoes']);
      expect(await found(`"shoes" OR ( & ! ' \\`)).toEqual(['shoes']);
      expect(await found('???')).toEqual([]);
      const [best] = await backend.search({ query: 'shoes', vector: undefined, limit: 1 }, signal());
      expect(best?.score).toBeGreaterThan(0);
      expect(best?.score).toBeLessThanOrEqual(1);
    });

    describe.runIf(keepsVectors)('with vectors', () => {
      const nearest = (backend: MemoryBackend, vector: Float32Array, limit = 10) => backend.search({ query: 'x', vector, limit }, signal());

      it('finds the nearest entries, with the cosine as their score', async () => {
        const backend = await filled(
          { key: 'east', value: 'e', vector: vectorOf(1, 0, 0) },
          { key: 'north', value: 'n', vector: vectorOf(0, 1, 0) },
          { key: 'west', value: 'w', vector: vectorOf(-1, 0, 0) },
        );
        const found = await nearest(backend, vectorOf(1, 1, 0));
        expect(
          found
            .map(({ key }) => key)
            .slice(0, 2)
            .sort(),
        ).toEqual(['east', 'north']);
        expect(found[0]?.score).toBeCloseTo(Math.SQRT1_2, 5);
        expect(found.find(({ key }) => key === 'west')?.score).toBe(0);
        expect(await nearest(backend, vectorOf(0, 5, 0), 1)).toEqual([{ key: 'north', value: 'n', score: 1 }]);
      });

      it('returns as many entries as the limit permits', async () => {
        const backend = await filled(
          ...Array.from({ length: 600 }, (_, index) => ({ key: `k${index}`, value: 'v', vector: vectorOf(index, 1, 0) })),
        );
        expect(await nearest(backend, vectorOf(1, 1, 0), 500)).toHaveLength(500);
      });

      it('replaces the vector with the value, and forgets it with the entry', async () => {
        const backend = await filled(
          { key: 'a', value: '1', vector: vectorOf(1, 0, 0) },
          { key: 'b', value: '2', vector: vectorOf(0, 1, 0) },
        );
        await backend.write({ puts: [{ key: 'a', value: '1', vector: vectorOf(0, 0, 1) }], deletes: ['b'] }, signal());
        expect(await nearest(backend, vectorOf(0, 0, 1))).toEqual([{ key: 'a', value: '1', score: 1 }]);
      });

      it('refuses a vector of another length, and writes nothing', async () => {
        const backend = await filled({ key: 'a', value: '1', vector: vectorOf(1, 0, 0) });
        expect(await backend.ping(signal())).toMatchObject({ dimensions: 3, unembedded: 0 });
        const write = backend.write({ puts: [{ key: 'b', value: '2', vector: vectorOf(1, 0) }], deletes: ['a'] }, signal());
        const wrong = { code: 'execution_failed', retryable: false, reason: 'memory_wrong_dimensions' };
        await expect(write).rejects.toMatchObject(wrong);
        await expect(nearest(backend, vectorOf(1, 0))).rejects.toMatchObject(wrong);
        const error: unknown = await write.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(CallError);
        expect((error as CallError).message).toContain(
          'holds vectors of 3 dimensions, and the embedding model sent 2; set spec.embedding_model',
        );
        expect((await keysIn(backend)).keys).toEqual(['a']);
      });

      it('gives vectors to entries that were written without', async () => {
        const backend = await filled({ key: 'old', value: '1' }, { key: 'changed', value: '2' });
        expect(await backend.ping(signal())).toMatchObject({ dimensions: undefined, unembedded: 2 });
        const entries = (await backend.unembedded?.(10, signal())) ?? [];
        expect(entries.map(({ key }) => key).sort()).toEqual(['changed', 'old']);
        await backend.write({ puts: [{ key: 'changed', value: 'later' }], deletes: [] }, signal());
        await backend.embed?.(
          entries.map((entry) => ({ ...entry, vector: vectorOf(1, 0, 0) })),
          signal(),
        );
        expect((await nearest(backend, vectorOf(1, 0, 0))).map(({ key }) => key)).toEqual(['old']);
        expect(await backend.ping(signal())).toMatchObject({ dimensions: 3, unembedded: 1 });
      });

      it('searches vectors of zeros without a failure', async () => {
        const backend = await filled(
          { key: 'a', value: '1', vector: vectorOf(0, 0, 0) },
          { key: 'b', value: '2', vector: vectorOf(1, 0, 0) },
        );
        const found = await nearest(backend, vectorOf(1, 0, 0));
        expect(found[0]).toMatchObject({ key: 'b', score: 1 });
        expect((await nearest(backend, vectorOf(0, 0, 0))).every(({ score }) => score === 0)).toBe(true);
      });
    });
  });
}
