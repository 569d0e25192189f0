// Store conformance: versions of specs.
import { describe, expect, it } from 'vitest';
import type { SpecVersion, VersionLimits } from '../../store/store.ts';
import { at, writeInParts } from './fixture.ts';
import type { Subject } from './fixture.ts';

const PLENTY: VersionLimits = { number: 100, bytes: 1_000_000 };

const version = (generation: number, changes: Partial<SpecVersion> = {}): SpecVersion => ({
  generation,
  writtenAt: at(generation),
  writtenBy: 'ada',
  replacedAt: at(generation + 1),
  spec: { prompt: `prompt ${generation} ü` },
  ...changes,
});

export function versionConformance(subject: Subject): void {
  const keep = (uid: string, versions: readonly SpecVersion[], limits: VersionLimits = PLENTY) =>
    writeInParts(subject.store, versions, (tx, each) => tx.keepVersion(uid, each, limits));
  const kept = async (uid: string) => (await subject.store.listVersions(uid, { before: 1_000, limit: 100 })).map((v) => v.generation);

  describe('versions of specs', () => {
    it('are read one by one and listed newest first, in pages, for their object alone', async () => {
      const { store } = subject;
      const { writtenBy: _, ...nameless } = version(1);
      await keep('a', [nameless, version(2), version(3)]);
      await keep('b', [version(1, { spec: {} })]);
      const { spec: __, ...entry } = version(3);
      expect(await store.listVersions('a', { before: 1_000, limit: 1 })).toEqual([entry]);
      expect((await store.listVersions('a', { before: 3, limit: 10 })).map((v) => v.generation)).toEqual([2, 1]);
      expect(await store.getVersion('a', 2)).toEqual(version(2));
      expect(await store.getVersion('a', 1)).toEqual(nameless);
      expect(await store.getVersion('b', 1)).toEqual(version(1, { spec: {} }));
      expect(await store.getVersion('b', 2)).toBeUndefined();
      expect(await store.listVersions('c', { before: 1_000, limit: 10 })).toEqual([]);
    });

    it('are part of their transaction', async () => {
      const { store } = subject;
      const failed = store.transaction(async (tx) => {
        await tx.keepVersion('a', version(1), PLENTY);
        expect(await tx.getVersion('a', 1)).toEqual(version(1));
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      expect(await kept('a')).toEqual([]);
      expect((await store.changeBounds()).head).toBe(0);
    });

    it('beyond the number of an object are dropped, oldest first', async () => {
      await keep(
        'a',
        [1, 2, 3, 4, 5].map((generation) => version(generation)),
      );
      await keep('b', [version(1)]);
      await keep('a', [version(6)], { number: 3, bytes: 1_000_000 });
      expect(await kept('a')).toEqual([6, 5, 4]);
      expect(await kept('b')).toEqual([1]);
    });

    it('beyond the size of an object are dropped, but never the newest', async () => {
      const large = (generation: number) => version(generation, { spec: { text: 'ü'.repeat(400) } });
      await keep('a', [large(1), version(2), large(3)], { number: 10, bytes: 1_000 });
      expect(await kept('a')).toEqual([3, 2]);
      await keep('a', [large(4)], { number: 10, bytes: 10 });
      expect(await kept('a')).toEqual([4]);
    });

    it('are deleted with all others of their object', async () => {
      await keep('a', [version(1), version(2)]);
      await keep('b', [version(1)]);
      await subject.store.transaction((tx) => tx.deleteVersions('a'));
      expect(await kept('a')).toEqual([]);
      expect(await kept('b')).toEqual([1]);
    });

    it('are pruned by the time of their replacement', async () => {
      const { store } = subject;
      await keep('a', [version(1), version(2), version(3)]);
      await keep(
        'many',
        Array.from({ length: 1_500 }, (_, index) => version(index + 1, { replacedAt: at(0) })),
        { number: 10_000, bytes: 10_000_000 },
      );
      expect(await store.pruneVersions({ replacedBefore: at(3) })).toBe(1_501);
      expect(await kept('a')).toEqual([3, 2]);
      expect(await store.pruneVersions({ replacedBefore: at(3) })).toBe(0);
    });

    it('survive a restart', async () => {
      await keep('a', [version(1)]);
      const store = await subject.reopen();
      expect(await store.getVersion('a', 1)).toEqual(version(1));
    });
  });
}
