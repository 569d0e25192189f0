// Source of all random choices of the suite: streams named by their purpose, all from one seed, so that one more draw in one place changes
// no other.
import { createHash } from 'node:crypto';
import { seededRandom } from '../../../server/testing/random.ts';

export interface RandomStream {
  /** In [0, 1). */
  next(): number;
  /** Whole number in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
}

/** 32 bits derived from all parts. */
export function hash32(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('\u0000')).digest().readUInt32BE(0);
}

export function randomStream(seed: number, ...name: readonly (string | number)[]): RandomStream {
  const { random } = seededRandom(hash32(seed, ...name));
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    next: random,
    between,
    pick<T>(items: readonly T[]): T {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
