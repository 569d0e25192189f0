// Store conformance: event streams have no gaps and no repeats under concurrent appends.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { NewStreamEvent, Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Subject } from './fixture.ts';
import { EPOCH, at, claimNew, claimWork } from './fixture.ts';

const OWNER = 'session-1';

function event(type: string, data: Record<string, unknown> = {}): NewStreamEvent {
  return { type, timestamp: at(0), data };
}

function append(store: Store, types: readonly string[], owner = OWNER): Promise<number> {
  const events = types.map((type) => event(type));
  return transactAgain(store, (tx) => tx.appendEvents(owner, events));
}

async function typesOf(store: Store, owner = OWNER): Promise<string[]> {
  return (await store.readEvents(owner, { after: 0, limit: 1_000 })).events.map(({ type }) => type);
}

async function numbersOf(store: Store, owner = OWNER): Promise<number[]> {
  return (await store.readEvents(owner, { after: 0, limit: 10_000 })).events.map(({ seq }) => seq);
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

export function eventStreamConformance(subject: Subject): void {
  describe('event streams', () => {
    it('number events from 1 without gaps for each owner', async () => {
      const { store } = subject;
      expect(await append(store, ['a', 'b'])).toBe(2);
      expect(await append(store, ['x'], 'session-2')).toBe(1);
      expect(await store.transaction((tx) => tx.appendEvents(OWNER, [event('c', { text: 'ü\u0000', n: [1] })]))).toBe(3);
      expect((await store.readEvents(OWNER, { after: 1, limit: 10 })).events).toEqual([
        { ...event('b'), seq: 2 },
        { ...event('c', { text: 'ü\u0000', n: [1] }), seq: 3 },
      ]);
      expect([await store.eventHead(OWNER), await store.eventHead('session-2'), await store.eventHead('nobody')]).toEqual([3, 1, 0]);
    });

    it('append nothing for an empty list', async () => {
      await append(subject.store, ['a']);
      expect(await append(subject.store, [])).toBe(1);
      expect(await append(subject.store, [], 'nobody')).toBe(0);
      expect(await numbersOf(subject.store)).toEqual([1]);
    });

    it('read pages bounded by number or by size', async () => {
      const { store } = subject;
      const data = { text: 'x'.repeat(1_000) };
      await store.transaction((tx) => tx.appendEvents(OWNER, [event('a', data), event('b', data), event('c', data)]));
      const page = async (query: { after: number; limit: number; bytesMax?: number }) => {
        const { events, full } = await store.readEvents(OWNER, query);
        return [events.map(({ type }) => type).join(''), full];
      };
      expect(await page({ after: 0, limit: 2 })).toEqual(['ab', false]);
      expect(await page({ after: 0, limit: 10, bytesMax: 2_100 })).toEqual(['ab', true]);
      expect(await page({ after: 0, limit: 10, bytesMax: 10 })).toEqual(['a', true]);
      expect(await page({ after: 2, limit: 10, bytesMax: 10 })).toEqual(['c', false]);
      expect(await page({ after: 3, limit: 10 })).toEqual(['', false]);
    });

    it('keep no event of a transaction that is rolled back, and give its numbers again', async () => {
      const { store } = subject;
      await append(store, ['a']);
      const undone = store.transaction(async (tx) => {
        await tx.appendEvents(OWNER, [event('b'), event('c')]);
        expect(await tx.eventHead(OWNER)).toBe(3);
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(await store.eventHead(OWNER)).toBe(1);
      expect(await append(store, ['d'])).toBe(2);
      expect(await typesOf(store)).toEqual(['a', 'd']);
    });

    it('give concurrent appenders neither a gap nor a repeat', async () => {
      const { store } = subject;
      const each = async (appender: number) => {
        for (let n = 0; n < 10; n += 1) {
          const undo = (appender + n) % 4 === 0;
          const types = [`${appender}-${n}`, `${appender}-${n}+`];
          const appended = transactAgain(store, async (tx) => {
            await tx.appendEvents(
              OWNER,
              types.map((type) => event(type)),
            );
            if (undo) throw new Error('undo');
          });
          await appended.catch((error: Error) => expect(error.message).toBe('undo'));
        }
      };
      await Promise.all(upTo(8).map(each));
      const numbers = await numbersOf(store);
      expect(numbers).toEqual(upTo(numbers.length));
      const types = await typesOf(store);
      expect(new Set(types).size).toBe(120);
      // The events of one transaction are consecutive.
      expect(types.filter((_, i) => i % 2 === 1)).toEqual(types.filter((_, i) => i % 2 === 0).map((type) => `${type}+`));
    });

    it('show a reader that tails the stream every event once', async () => {
      const { store } = subject;
      const seen: number[] = [];
      const reader = (async () => {
        while (seen.length < 100) {
          for (const { seq } of (await store.readEvents(OWNER, { after: seen.at(-1) ?? 0, limit: 7 })).events) seen.push(seq);
          await setImmediate();
        }
      })();
      await Promise.all(upTo(4).map(async () => Promise.all(upTo(25).map(() => append(store, ['e'])))));
      await reader;
      expect(seen).toEqual(upTo(100));
    });

    it('append nothing in a transaction whose claim was lost', async () => {
      const { store } = subject;
      const old = await claimNew(store);
      await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      const late = store.transaction(async (tx) => {
        await tx.appendEvents(OWNER, [event('late')]);
        await tx.assertClaim(old);
      });
      await expect(late).rejects.toBeInstanceOf(LeaseLost);
      expect(await store.eventHead(OWNER)).toBe(0);
    });

    it('are deleted in bounded steps, and begin again at 1 once they are gone', async () => {
      const { store } = subject;
      await append(store, ['a', 'b', 'c', 'd', 'e']);
      await append(store, ['x'], 'session-2');
      const remove = () => store.transaction((tx) => tx.deleteEvents(OWNER, 2));
      expect(await remove()).toBe(false);
      expect(await typesOf(store)).toEqual(['c', 'd', 'e']);
      expect(await append(store, ['f'])).toBe(6);
      expect([await remove(), await remove(), await remove()]).toEqual([false, false, true]);
      expect([await store.eventHead(OWNER), await remove()]).toEqual([0, true]);
      expect(await append(store, ['again'])).toBe(1);
      expect(await typesOf(store, 'session-2')).toEqual(['x']);
    });

    it('survive a restart with their numbers', async () => {
      await append(subject.store, ['a', 'b']);
      const store = await subject.reopen();
      expect(await append(store, ['c'])).toBe(3);
      expect(await typesOf(store)).toEqual(['a', 'b', 'c']);
    });
  });
}
