// Ages and durations as people read them.
import { describe, expect, it } from 'vitest';
import { age, between, elapsed } from './time.ts';

const NOW = Date.parse('2026-01-10T12:00:00.000Z');
const ago = (seconds: number) => age(new Date(NOW - seconds * 1000).toISOString(), NOW);

describe('age', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [125, '2m5s'],
    [5 * 60, '5m'],
    [59 * 60, '59m'],
    [2 * 3600 + 300, '2h5m'],
    [3 * 3600, '3h'],
    [47 * 3600, '47h'],
    [3 * 86_400, '3d'],
    [800 * 86_400, '2y'],
  ])('shows %i seconds as %s', (seconds, text) => {
    expect(ago(seconds)).toBe(text);
  });

  it('shows a clock that runs ahead as zero, and no time as a dash', () => {
    expect([ago(-5), age(undefined, NOW), age('soon', NOW)]).toEqual(['0s', '-', '-']);
  });
});

describe('elapsed', () => {
  it.each([
    [0.4, '<1 ms'],
    [12.4, '12 ms'],
    [999.6, '1.00 s'],
    [1240, '1.24 s'],
    [59_996, '1m 0s'],
    [119_600, '2m 0s'],
    [125_000, '2m 5s'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(elapsed(ms)).toBe(text);
  });
});

describe('between', () => {
  it('is undefined when a time is missing', () => {
    expect(between('2026-01-01T00:00:00Z', '2026-01-01T00:00:01.5Z')).toBe(1500);
    expect(between(undefined, '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});
