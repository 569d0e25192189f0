import { expect, test } from 'vitest';
import { tooltipPlace } from './tooltip-place.ts';

const room = { size: { width: 100, height: 20 }, window: { width: 800, height: 600 } };

test('the tooltip is placed at the requested side, in the middle', () => {
  expect(tooltipPlace('top', { left: 200, top: 300, width: 40, height: 30 }, room)).toEqual({ left: 170, top: 274 });
  expect(tooltipPlace('right', { left: 10, top: 300, width: 40, height: 30 }, room)).toEqual({ left: 56, top: 305 });
});

test('the tooltip moves to the other side where there is no room', () => {
  expect(tooltipPlace('top', { left: 200, top: 5, width: 40, height: 30 }, room).top).toBe(41);
});

test('the tooltip never leaves the window', () => {
  expect(tooltipPlace('top', { left: 780, top: 300, width: 20, height: 30 }, room).left).toBe(692);
  expect(tooltipPlace('bottom', { left: 0, top: 300, width: 10, height: 30 }, room).left).toBe(8);
});
