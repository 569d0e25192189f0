// Store conformance: journals under a fence, and signals.
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Claim, NewJournalEntry, Store } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { EPOCH, at, claimNew, claimWork } from './fixture.ts';

function entry(type: string, data: Record<string, unknown> = {}): NewJournalEntry {
  return { type, timestamp: at(0), data };
}

/** Appends entries of the given types, as their claim's owner does. */
function append(store: Store, claim: Claim, position: { after: number; types: readonly string[] }): Promise<void> {
  const entries = position.types.map((type) => entry(type));
  return store.transaction((tx) => tx.appendJournal(claim, position.after, entries));
}

function signal(store: Store, stream: string, type: string): Promise<void> {
  return store.transaction((tx) => tx.sendSignal('task', { stream, type, timestamp: at(1), data: { by: 'user' } }));
}

export function journalConformance(subject: Subject): void {
  describe('journal', () => {
    it('numbers entries from 1 without gaps, per stream, and reads them in pages', async () => {
      const { store } = subject;
      const one = await claimNew(store, { key: 'one' });
      const two = await claimNew(store, { key: 'two' });
      await append(store, one, { after: 0, types: ['a', 'b'] });
      await append(store, two, { after: 0, types: ['x'] });
      await store.transaction((tx) => tx.appendJournal(one, 2, [entry('c', { text: 'ü', n: [1] })]));
      expect(await store.readJournal('one', 1, 10)).toEqual([
        { ...entry('b'), seq: 2 },
        { ...entry('c', { text: 'ü', n: [1] }), seq: 3 },
      ]);
      expect((await store.readJournal('one', 0, 2)).map((e) => e.type)).toEqual(['a', 'b']);
      expect((await store.readJournal('two', 0, 10)).map((e) => e.seq)).toEqual([1]);
    });

    it('refuses an append where the stream has moved on', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await append(store, claim, { after: 0, types: ['a'] });
      await expect(append(store, claim, { after: 0, types: ['again'] })).rejects.toBeInstanceOf(LeaseLost);
      expect(await store.readJournal(claim.key, 0, 10)).toHaveLength(1);
    });

    it('refuses an append that would leave a gap', async () => {
      const claim = await claimNew(subject.store);
      await expect(append(subject.store, claim, { after: 1, types: ['later'] })).rejects.toThrow();
      expect(await subject.store.readJournal(claim.key, 0, 10)).toEqual([]);
    });

    it('lets only the newest claim append', async () => {
      const { store } = subject;
      const old = await claimNew(store);
      const [taken] = await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      if (!taken) throw new Error('not taken over');
      await expect(append(store, old, { after: 0, types: ['late'] })).rejects.toBeInstanceOf(LeaseLost);
      await append(store, taken, { after: 0, types: ['fresh'] });
      expect((await store.readJournal(old.key, 0, 10)).map((e) => e.type)).toEqual(['fresh']);
    });

    it('lets the owner append after its lease ran out, as long as nobody took over', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await claimWork(store, { queue: 'another', now: EPOCH + 60_000 });
      await append(store, claim, { after: 0, types: ['slow'] });
      expect(await store.readJournal(claim.key, 0, 10)).toHaveLength(1);
    });

    it('refuses appends after the item was finished or dropped', async () => {
      const { store } = subject;
      const finished = await claimNew(store, { key: 'f' });
      await store.transaction((tx) => tx.finishWork(finished));
      await expect(append(store, finished, { after: 0, types: ['a'] })).rejects.toBeInstanceOf(LeaseLost);
      const dropped = await claimNew(store, { key: 'd' });
      await store.transaction((tx) => tx.dropWork('task', 'd'));
      await expect(append(store, dropped, { after: 0, types: ['a'] })).rejects.toBeInstanceOf(LeaseLost);
    });

    it('is deleted by stream', async () => {
      const { store } = subject;
      const one = await claimNew(store, { key: 'one' });
      const two = await claimNew(store, { key: 'two' });
      await append(store, one, { after: 0, types: ['a'] });
      await append(store, two, { after: 0, types: ['b'] });
      await signal(store, 'one', 'cancel');
      await store.transaction((tx) => tx.deleteJournal('one'));
      expect(await store.readJournal('one', 0, 10)).toEqual([]);
      expect(await store.readSignals('one')).toEqual([]);
      expect(await store.readJournal('two', 0, 10)).toHaveLength(1);
    });
  });

  describe('signals', () => {
    it('are kept in order until their owner consumes them', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await signal(store, claim.key, 'cancel');
      await signal(store, 'elsewhere', 'cancel');
      await signal(store, claim.key, 'approval');
      const waiting = await store.readSignals(claim.key);
      expect(waiting.map(({ id: _, ...rest }) => rest)).toEqual([
        { stream: claim.key, type: 'cancel', timestamp: at(1), data: { by: 'user' } },
        { stream: claim.key, type: 'approval', timestamp: at(1), data: { by: 'user' } },
      ]);
      await store.transaction((tx) => tx.consumeSignals(claim, [waiting[0]?.id ?? 0]));
      expect((await store.readSignals(claim.key)).map((s) => s.type)).toEqual(['approval']);
    });

    it('are consumed only under the current claim, and only from its own stream', async () => {
      const { store } = subject;
      const old = await claimNew(store);
      await signal(store, old.key, 'cancel');
      await signal(store, 'elsewhere', 'cancel');
      const [mine] = await store.readSignals(old.key);
      const [foreign] = await store.readSignals('elsewhere');
      const [taken] = await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      if (!taken || !mine || !foreign) throw new Error('setup failed');
      await expect(store.transaction((tx) => tx.consumeSignals(old, [mine.id]))).rejects.toBeInstanceOf(LeaseLost);
      await store.transaction((tx) => tx.consumeSignals(taken, [mine.id, foreign.id]));
      expect(await store.readSignals(old.key)).toEqual([]);
      expect(await store.readSignals('elsewhere')).toHaveLength(1);
    });

    it('never get an id twice', async () => {
      const claim = await claimNew(subject.store);
      await signal(subject.store, claim.key, 'one');
      const first = await subject.store.readSignals(claim.key);
      await subject.store.transaction((tx) =>
        tx.consumeSignals(
          claim,
          first.map((s) => s.id),
        ),
      );
      const store = await subject.reopen();
      await signal(store, claim.key, 'two');
      expect((await store.readSignals(claim.key))[0]?.id).toBeGreaterThan(first[0]?.id ?? Infinity);
    });
  });
}
