import { expect, test } from 'vitest';
import { FIRST_ZOOM, firstView, fittingZoom, OVERVIEW_ZOOM_MIN, resizedView } from './view.ts';

const row = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`n${index}`, { x: index * 300, y: 0, width: 200, height: 80 }] as const));
const SCREEN = { width: 900, height: 600 };

test('a small picture is centred at its natural size', () => {
  expect(firstView(row(2), SCREEN, { direction: 'LR' })).toEqual({ x: 200, y: 252, zoom: 1 });
});

test('a picture too large for a readable size is shown from its start', () => {
  const { x, y, zoom } = firstView(row(12), SCREEN, { direction: 'LR' });
  expect(zoom).toBe(FIRST_ZOOM.min);
  // The smallest text of a card is written at 14 px.
  expect(14 * zoom).toBeGreaterThanOrEqual(12);
  expect(x).toBe(32);
  expect(y + (40 + 8) * zoom).toBeCloseTo(SCREEN.height / 2);
});

test('the foremost card is visible in a picture too large for its frame, and moves nothing in one that fits', () => {
  const last = { x: 11 * 300, y: 0, width: 200, height: 80 };
  const { x, zoom } = firstView(row(12), SCREEN, { direction: 'LR', foremost: last });
  expect(x + (last.x + last.width) * zoom).toBeCloseTo(SCREEN.width - 32);
  const second = { x: 300, y: 0, width: 200, height: 80 };
  expect(firstView(row(12), SCREEN, { direction: 'LR', foremost: second })).toEqual(firstView(row(12), SCREEN, { direction: 'LR' }));
  expect(firstView(row(2), SCREEN, { direction: 'LR', foremost: second })).toEqual(firstView(row(2), SCREEN, { direction: 'LR' }));
});

test('a foremost card out of view comes to the middle, with its neighbours on both sides', () => {
  const seventh = { x: 6 * 300, y: 0, width: 200, height: 80 };
  const { x, y, zoom } = firstView(row(12), SCREEN, { direction: 'LR', foremost: seventh });
  expect(x + (seventh.x + seventh.width / 2) * zoom).toBeCloseTo(SCREEN.width / 2);
  expect(y).toBe(firstView(row(12), SCREEN, { direction: 'LR' }).y);
});

test('signs above the cards and states below them stay visible where all of it fits', () => {
  const column = new Map([0, 1, 2].map((index) => [`n${index}`, { x: 0, y: index * 100, width: 244, height: 64 }] as const));
  const screen = { width: 1100, height: 340 };
  const { y, zoom } = firstView(column, screen, { direction: 'LR' });
  expect(y - 11 * zoom).toBeGreaterThan(0);
  expect(y + (2 * 100 + 64 + 24) * zoom).toBeLessThan(screen.height);
});

test('the picture of a run shows all cards where they fit at 60 %', () => {
  const { x, zoom } = firstView(row(4), SCREEN, { direction: 'LR', zoomMin: OVERVIEW_ZOOM_MIN });
  expect(zoom).toBeLessThan(FIRST_ZOOM.min);
  expect(x).toBeGreaterThan(0);
  expect(x + (3 * 300 + 200) * zoom).toBeLessThan(SCREEN.width);
});

test('cards keep above the buttons of the zoom where all of the graph fits', () => {
  const column = new Map([0, 1, 2, 3].map((index) => [`n${index}`, { x: 0, y: index * 150, width: 240, height: 90 }] as const));
  for (const height of [560, 620, 700]) {
    const { y, zoom } = firstView(column, { width: 500, height }, { direction: 'TB', zoomMin: OVERVIEW_ZOOM_MIN });
    // The lowest badge ends 30 px below its card; the buttons begin 47 px above the end of the canvas.
    expect(y + (3 * 150 + 90 + 30) * zoom).toBeLessThanOrEqual(height - 47);
    expect(y - 14 * zoom).toBeGreaterThanOrEqual(19.9);
  }
});

test('a graph that almost fills its frame keeps the margin', () => {
  const screen = { width: 1000 * 0.6 + 10, height: 500 };
  const wide = new Map([['a', { x: 0, y: 0, width: 1000, height: 80 }]]);
  expect(firstView(wide, screen, { direction: 'LR', zoomMin: OVERVIEW_ZOOM_MIN }).x).toBe(32);
});

test('the zoom that fits compares two directions of a graph in a tall frame', () => {
  const tall = { width: 517, height: 579 };
  const column = new Map([0, 1, 2].map((index) => [`n${index}`, { x: 0, y: index * 150, width: 240, height: 100 }] as const));
  expect(fittingZoom(column, tall)).toBe(1);
  expect(fittingZoom(row(3), tall)).toBeLessThan(0.7);
});

test('a canvas that loses height keeps its middle line, and one that loses width the selected card', () => {
  const view = { x: 40, y: 260, zoom: 1 };
  const lower = { width: 900, height: 300 };
  expect(resizedView(view, SCREEN, { ...lower, selected: undefined })).toEqual({ x: 40, y: 110, zoom: 1 });
  const selected = { x: 600, y: 0, width: 200, height: 80 };
  expect(resizedView(view, SCREEN, { ...SCREEN, selected })).toEqual(view);
  const narrow = resizedView(view, SCREEN, { width: 500, height: 600, selected });
  expect(narrow).toEqual({ x: 500 - 32 - 800, y: 260, zoom: 1 });
});
