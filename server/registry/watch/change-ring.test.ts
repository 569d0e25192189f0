import { describe, expect, it } from 'vitest';
import type { Change } from '../../store/store.ts';
import { ChangeRing } from './change-ring.ts';

const change = (seq: number, size = 0): Change => ({
  ...{ seq, timestamp: '', type: 'fact', kind: 'Agent', namespace: 'default', name: 'a', resourceVersion: 0 },
  fact: { type: 't', source: 's', action: 'a', message: 'x'.repeat(size) },
});
const changes = (from: number, to: number, size = 0) => Array.from({ length: to - from + 1 }, (_, i) => change(from + i, size));
const seqs = (found: readonly Change[] | undefined) => found?.map((one) => one.seq);

describe('ChangeRing', () => {
  it.each([
    [5, 10, []],
    [7, 10, []],
    [4, 10, [5]],
    [2, 2, [3, 4]],
    [0, 10, [1, 2, 3, 4, 5]],
  ])('after %d gives at most %d changes: %j', (after, limit, expected) => {
    const ring = new ChangeRing(0);
    ring.push(changes(1, 3));
    ring.push(changes(4, 5));
    expect(seqs(ring.after(after, limit))).toEqual(expected);
  });

  it('drops the oldest beyond its size and reports it', () => {
    const ring = new ChangeRing(10, { changesMax: 3, sizeMax: 1e9 });
    ring.push(changes(11, 15));
    expect(seqs(ring.after(12, 10))).toEqual([13, 14, 15]);
    expect(ring.after(11, 10)).toBeUndefined();
  });

  it('forgets the oldest beyond its size, the newest too when it alone is too large', () => {
    const ring = new ChangeRing(0, { changesMax: 100, sizeMax: 1000 });
    ring.push(changes(1, 5, 300));
    expect(seqs(ring.after(3, 10))).toEqual([4, 5]);
    expect(ring.after(1, 10)).toBeUndefined();
    ring.push([change(6, 5000)]);
    expect([ring.head, ring.after(6, 10), ring.after(5, 10)]).toEqual([6, [], undefined]);
  });

  it('drops older changes after a gap', () => {
    const ring = new ChangeRing(0);
    ring.push(changes(1, 3));
    ring.push(changes(6, 7));
    expect(seqs(ring.after(5, 10))).toEqual([6, 7]);
    expect(ring.after(3, 10)).toBeUndefined();
  });
});
