// Lanes of the routes that lead back.
import { expect, test } from 'vitest';
import { lanesOf } from './edge-path.ts';
import type { SystemEdge } from './system-graph.ts';

/** Routes from `b` back to `a`, each in its own pair. */
function backRoutes(count: number) {
  const edges = Array.from({ length: count }, (_, index): SystemEdge => {
    const shape = { kind: 'loop-back', self: false, field: 0, labels: {}, condition: '', chips: [] } as const;
    return { ...shape, id: `r${index}`, route: `r${index}`, source: 'b', target: 'a', parallel: { index: 0, count: 1 } };
  });
  const boxes = new Map([
    ['a', { x: 0, y: 0, width: 200, height: 100 }],
    ['b', { x: 300, y: 0, width: 200, height: 100 }],
  ]);
  return [...lanesOf(edges, boxes, 'LR').values()];
}

test('each of many back routes has a lane of its own', () => {
  expect(backRoutes(3)).toEqual([140, 160, 180]);
  expect(new Set(backRoutes(5000)).size).toBe(5000);
});
