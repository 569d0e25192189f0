// The loop of reconcilers over a real store: its keys, failures, time limits, and the guarantee of one run per key at a time.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { timestamp } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { keptLog, storeEngines, turns, type LogLine } from '../../testing/background.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { Retryable, Terminal } from './reconcile-error.ts';
import { createReconciler, type Reconciler, type ReconcilerOptions, type ReconcileOutcome } from './reconciler.ts';
import { overlay } from '../../overlay.ts';

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly lines: LogLine[];
  /** Names in the order they were reconciled. */
  readonly seen: string[];
  readonly put: (name: string, kind?: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly reconciler: (
    reconcile: (name: string, signal: AbortSignal) => Promise<ReconcileOutcome>,
    more?: Partial<ReconcilerOptions>,
  ) => Reconciler;
}

async function setup(open: (clock: ManualClock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const { log, lines } = keptLog();
  const seen: string[] = [];
  return {
    store,
    clock,
    lines,
    seen,
    async put(name, kind = 'Worker') {
      const now = timestamp(clock.now());
      const key = { kind, namespace: 'default', name };
      await store.transaction(async (tx) => {
        const found = await tx.getObjectForUpdate(key);
        if (found) return tx.updateObject({ ...found, resourceVersion: found.resourceVersion + 1 });
        const base = { resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: now, updatedAt: now };
        return tx.insertObject({ ...key, uid: randomUUID(), ...base, spec: {}, status: { phase: 'Pending' } });
      });
    },
    async remove(name) {
      await store.transaction((tx) => tx.deleteObject({ kind: 'Worker', namespace: 'default', name }, timestamp(clock.now())));
    },
    reconciler(reconcile, more = {}) {
      const made = createReconciler({
        store,
        clock,
        log,
        random: () => 1,
        name: 'test',
        kind: 'Worker',
        coalesceMs: 0,
        reconcile: ({ name }, signal) => {
          seen.push(name);
          return reconcile(name, signal);
        },
        ...more,
      });
      onTestFinished(() => made.stop());
      return made;
    },
  };
}

const done = () => Promise.resolve(undefined);

/** Starts it and waits for its first list: later writes are reported once, by the log, and not by a list that was still being read as well. */
async function started(loop: Reconciler): Promise<void> {
  await loop.runOnce();
  loop.start();
}

describe.each(storeEngines.filter(({ skip }) => !skip))('a reconciler over $name', ({ open, exact }) => {
  it('reconciles existing objects at the start, then created, changed and deleted ones', async () => {
    const { put, remove, reconciler, seen } = await setup(open);
    for (const name of ['a', 'b']) await put(name);
    reconciler(done, { concurrency: 1 }).start();
    await expect.poll(() => [...seen], { interval: 2 }).toEqual(['a', 'b']);
    await put('c');
    await expect.poll(() => seen.at(-1), { interval: 2 }).toBe('c');
    await put('someone-else', 'Agent');
    await put('a');
    await expect.poll(() => seen.at(-1), { interval: 2 }).toBe('a');
    await remove('b');
    await expect.poll(() => [...seen], { interval: 2 }).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('lists more objects than fit a page, each once', async () => {
    const { put, reconciler, seen } = await setup(open);
    const names = Array.from({ length: 450 }, (_, index) => `w${String(index).padStart(3, '0')}`);
    // In parts: all at once wait longer for a connection than the store permits.
    for (let at = 0; at < names.length; at += 50) await Promise.all(names.slice(at, at + 50).map((name) => put(name)));
    await reconciler(done).runOnce();
    expect([...seen].sort()).toEqual(names);
  });

  it('starts over from a list when the log no longer reaches back to its position', async () => {
    const { store, put, reconciler, seen } = await setup(open);
    await put('a');
    const loop = reconciler(done);
    await loop.runOnce();
    for (const name of ['b', 'c', 'd']) await put(name);
    await store.pruneChanges({ keepNewest: 1 });
    await loop.runOnce();
    expect(seen).toEqual(['a', 'a', 'b', 'c', 'd']);
  });

  it('reads everything again now and then, and still reports objects deleted meanwhile', async () => {
    const { clock, put, remove, reconciler, seen } = await setup(open);
    for (const name of ['a', 'b']) await put(name);
    const loop = reconciler(done, { resyncMs: 60_000 });
    await loop.runOnce();
    await loop.runOnce();
    await remove('b');
    clock.advance(60_000);
    await loop.runOnce();
    expect(seen).toEqual(['a', 'b', 'a', 'b']);
  });

  if (exact)
    it('never reconciles one object twice at once, and misses no change that comes meanwhile', async () => {
      const { put, reconciler, seen } = await setup(open);
      const ends: (() => void)[] = [];
      let atOnce = 0;
      let most = 0;
      reconciler(async () => {
        most = Math.max(most, ++atOnce);
        await new Promise<void>((resolve) => ends.push(resolve));
        atOnce -= 1;
        return undefined;
      }).start();
      await put('a');
      await expect.poll(() => ends.length, { interval: 2 }).toBe(1);
      await put('a');
      await put('a');
      await turns();
      expect(seen).toEqual(['a']);
      ends[0]?.();
      await expect.poll(() => ends.length, { interval: 2 }).toBe(2);
      ends[1]?.();
      await turns();
      expect([seen, most]).toEqual([['a', 'a'], 1]);
    });

  it('retries failures with doubling backoff, and resets it after a success', async () => {
    const { clock, put, reconciler, seen, lines } = await setup(open);
    let failing = true;
    await started(reconciler((name) => (name === 'bad' && failing ? Promise.reject(new Error('not yet')) : done())));
    for (const name of ['bad', 'good']) await put(name);
    await expect.poll(() => [...seen].sort(), { interval: 2 }).toEqual(['bad', 'good']);
    for (const [wait, tries] of [
      [500, 2],
      [1_000, 3],
      [2_000, 4],
    ] as const) {
      clock.advance(wait - 1);
      await turns();
      expect(seen.filter((name) => name === 'bad')).toHaveLength(tries - 1);
      if (tries === 4) failing = false;
      clock.advance(1);
      await expect.poll(() => seen.filter((name) => name === 'bad').length, { interval: 2 }).toBe(tries);
    }
    expect(lines.map(({ level, fields }) => [level, fields['object'], fields['tries']])).toEqual([
      ['error', 'default/bad', 1],
      ['error', 'default/bad', 2],
      ['error', 'default/bad', 3],
    ]);
    failing = true;
    await put('bad');
    await expect.poll(() => lines.at(-1)?.fields['tries'], { interval: 2 }).toBe(1);
    expect(lines).toHaveLength(4);
  });

  it('waits the time of a Retryable, and for a change after a Terminal', async () => {
    const { clock, put, reconciler, seen, lines } = await setup(open);
    const errors = [new Retryable('busy', { retryAfterMs: 7_000 }), new Terminal('hopeless')];
    await started(reconciler(() => Promise.reject(errors.shift() ?? new Terminal('still hopeless'))));
    await put('a');
    await expect.poll(() => lines.length, { interval: 2 }).toBe(1);
    clock.advance(6_999);
    await turns();
    expect(seen).toHaveLength(1);
    clock.advance(1);
    await expect.poll(() => lines.length, { interval: 2 }).toBe(2);
    clock.advance(300_000);
    await turns();
    expect([seen.length, lines.map(({ level }) => level)]).toEqual([2, ['warn', 'error']]);
    await put('a');
    await expect.poll(() => seen.length, { interval: 2 }).toBe(3);
  });

  it('reconciles an object again after the requested time', async () => {
    const { clock, put, reconciler, seen } = await setup(open);
    await started(reconciler(() => Promise.resolve({ requeueAfterMs: 10_000 })));
    await put('a');
    await expect.poll(() => seen.length, { interval: 2 }).toBe(1);
    await turns();
    clock.advance(10_000);
    await expect.poll(() => seen.length, { interval: 2 }).toBe(2);
  });

  it('aborts a run that takes too long, and tries it again', async () => {
    const { clock, put, reconciler, seen, lines } = await setup(open);
    const untilAborted = (_: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await started(reconciler(untilAborted, { timeoutMs: 1_000 }));
    await put('a');
    await expect.poll(() => seen.length, { interval: 2 }).toBe(1);
    clock.advance(1_000);
    await expect.poll(() => lines.map(({ level }) => level), { interval: 2 }).toEqual(['warn']);
    clock.advance(500);
    await expect.poll(() => seen.length, { interval: 2 }).toBe(2);
  });

  it('aborts its runs when it stops, without a log line', async () => {
    const { put, reconciler, seen, lines } = await setup(open);
    const untilAborted = (_: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const loop = reconciler(untilAborted);
    await started(loop);
    await put('a');
    await expect.poll(() => seen.length, { interval: 2 }).toBe(1);
    await loop.stop();
    await loop.stop();
    await put('b');
    await turns();
    expect([seen, lines]).toEqual([['a'], []]);
  });

  it('begins no run of an object that changed while its run was aborted by the stop', async () => {
    const { put, reconciler, seen } = await setup(open);
    let changed = (): void => undefined;
    const loop = reconciler(
      (_, signal) =>
        new Promise<never>((_resolve, reject) => {
          changed();
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    await started(loop);
    await put('a');
    await expect.poll(() => seen.length, { interval: 2 }).toBe(1);
    changed = () => seen.push('begun after the stop');
    loop.add({ namespace: 'default', name: 'a' });
    await loop.stop();
    expect(seen).toEqual(['a']);
  });

  it('leaves nothing of its runs in the signal of its stop', async () => {
    const { put, reconciler } = await setup(open);
    const combined = vi.spyOn(AbortSignal, 'any');
    onTestFinished(() => combined.mockRestore());
    await put('a');
    await reconciler(done).runOnce();
    expect(combined).not.toHaveBeenCalled();
  });

  if (exact)
    it('reads the log once for commits that come close together', async () => {
      const { clock, store, put, reconciler, seen } = await setup(open);
      let reads = 0;
      const counting = overlay(store, {
        readChangePage(...args) {
          reads += 1;
          return store.readChangePage(...args);
        },
      });
      reconciler(done, { store: counting, coalesceMs: 100 }).start();
      await turns();
      for (let round = 0; round < 10; round += 1) await put('a');
      await turns();
      expect([reads, seen]).toEqual([0, []]);
      clock.advance(100);
      await expect.poll(() => seen, { interval: 2 }).toEqual(['a']);
      expect(reads).toBe(1);
    });
});
