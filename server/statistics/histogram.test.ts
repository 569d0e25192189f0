import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addHistograms, quantile, withDuration } from './histogram.ts';
import type { Histogram } from './histogram.ts';

const of = (durations: readonly number[]): Histogram => durations.reduce(withDuration, {});

/** As the nearest rank says. */
function exact(durations: readonly number[], part: number): number {
  const sorted = [...durations].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

const durations = fc.array(fc.integer({ min: 10, max: 100_000_000 }), { minLength: 1, maxLength: 50 });
const part = fc.constantFrom(0, 0.5, 0.95, 1);

it('returns quantiles within 10 % of the true ones', () => {
  fc.assert(
    fc.property(durations, part, (all, at) => {
      const found = quantile(of(all), at) ?? Number.NaN;
      expect(Math.abs(found / exact(all, at) - 1)).toBeLessThan(0.12);
    }),
  );
});

it('adds up: two histograms are one of all', () => {
  fc.assert(
    fc.property(durations, durations, (a, b) => {
      expect(addHistograms(of(a), of(b))).toEqual(of([...a, ...b]));
    }),
  );
});

it('has no quantiles when it is empty, and takes durations of any size', () => {
  expect(quantile({}, 0.5)).toBeUndefined();
  expect(quantile(of([0]), 0.5)).toBe(1);
  expect(quantile(of([Number.MAX_SAFE_INTEGER]), 0.5)).toBeGreaterThan(1e11);
});
