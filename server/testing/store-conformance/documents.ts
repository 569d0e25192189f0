// Store conformance: small documents.
import { describe, expect, it } from 'vitest';
import type { Subject } from './fixture.ts';

export function documentConformance(subject: Subject): void {
  describe('documents', () => {
    it('are put, replaced, read and deleted by collection and id', async () => {
      const { store } = subject;
      await store.transaction(async (tx) => {
        await tx.putDocument('tokens', 'a', { n: 1 });
        await tx.putDocument('keys', 'a', { n: 2 });
        await tx.putDocument('tokens', 'a', { n: 3, nested: { list: ['ü'] } });
        expect(await tx.getDocument('tokens', 'a')).toEqual({ n: 3, nested: { list: ['ü'] } });
      });
      expect(await store.getDocument('tokens', 'a')).toEqual({ n: 3, nested: { list: ['ü'] } });
      expect(await store.getDocument('keys', 'a')).toEqual({ n: 2 });
      expect(await store.transaction((tx) => tx.deleteDocument('tokens', 'a'))).toBe(true);
      expect(await store.transaction((tx) => tx.deleteDocument('tokens', 'a'))).toBe(false);
      expect(await store.getDocument('tokens', 'a')).toBeUndefined();
      expect(await store.getDocument('keys', 'a')).toEqual({ n: 2 });
    });

    it('written last are there after the commit, the newest of each key, and not after a failure', async () => {
      const { store } = subject;
      await store.transaction(async (tx) => {
        await tx.putDocumentLast('c', 'a', { n: 1 });
        await tx.putDocumentLast('c', 'b', { n: 2 });
        await tx.putDocumentLast('c', 'a', { n: 3 });
        expect(await tx.getDocument('c', 'a')).toEqual({ n: 3 });
      });
      const failed = store.transaction(async (tx) => {
        await tx.putDocumentLast('c', 'a', { n: 4 });
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect((await store.listDocuments('c', '', 10)).map(({ document }) => document)).toEqual([{ n: 3 }, { n: 2 }]);
      expect((await store.changeBounds()).head).toBe(0);
    });

    it('are listed bytewise by id, in pages, within their collection', async () => {
      const { store } = subject;
      await store.transaction(async (tx) => {
        for (const id of ['b', 'a', 'B', 'é', 'a-1', '10', '9']) await tx.putDocument('c', id, { id });
        await tx.putDocument('d', 'x', {});
      });
      const all = await store.listDocuments('c', '', 100);
      expect(all.map((d) => d.id)).toEqual(['10', '9', 'B', 'a', 'a-1', 'b', 'é']);
      expect(all[0]?.document).toEqual({ id: '10' });
      expect((await store.listDocuments('c', 'B', 2)).map((d) => d.id)).toEqual(['a', 'a-1']);
      expect(await store.listDocuments('c', 'é', 2)).toEqual([]);
    });

    it('leave no trace in the change log', async () => {
      await subject.store.transaction((tx) => tx.putDocument('c', 'i', {}));
      expect((await subject.store.changeBounds()).head).toBe(0);
    });
  });
}
