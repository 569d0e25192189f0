import { expect, test } from 'vitest';
import { FIRST_ZOOM, firstView } from './view.ts';

const row = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`n${index}`, { x: index * 300, y: 0, width: 200, height: 80 }] as const));
const SCREEN = { width: 900, height: 600 };

test('a small picture is centred at its natural size', () => {
  expect(firstView(row(2), SCREEN, 'LR')).toEqual({ x: 200, y: 253, zoom: 1 });
});

test('a picture too large for a readable size is shown from its start', () => {
  const { x, y, zoom } = firstView(row(12), SCREEN, 'LR');
  expect(zoom).toBe(FIRST_ZOOM.min);
  // Names are written at 13 px: smaller than 9 px they cannot be read.
  expect(13 * zoom).toBeGreaterThan(9);
  expect(x).toBe(48);
  expect(y + (40 + 7) * zoom).toBeCloseTo(SCREEN.height / 2);
});

test('signs above the cards and states below them stay visible where all of it fits', () => {
  const column = new Map([0, 1, 2].map((index) => [`n${index}`, { x: 0, y: index * 136, width: 232, height: 92 }] as const));
  const screen = { width: 1100, height: 300 };
  const { y, zoom } = firstView(column, screen, 'LR');
  expect(y - 11 * zoom).toBeGreaterThan(0);
  expect(y + (2 * 136 + 92 + 24) * zoom).toBeLessThan(screen.height);
});
