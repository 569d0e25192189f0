// Target of an arrow key on the canvas: along the routes, or to the neighbour at the side. Pure.
import type { Box, Direction } from './layout.ts';
import type { SystemGraphModel } from './system-graph.ts';

export type Arrow = 'ArrowRight' | 'ArrowLeft' | 'ArrowUp' | 'ArrowDown';

export const ARROWS: readonly string[] = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown'] satisfies readonly Arrow[];

const middle = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

function nearest(from: Box, candidates: readonly (readonly [string, Box])[], arrow: Arrow): string | undefined {
  const start = middle(from);
  const level = arrow === 'ArrowRight' || arrow === 'ArrowLeft';
  const sign = arrow === 'ArrowRight' || arrow === 'ArrowDown' ? 1 : -1;
  const scored = candidates.flatMap(([id, box]) => {
    const { x, y } = middle(box);
    const [ahead, aside] = level ? [(x - start.x) * sign, Math.abs(y - start.y)] : [(y - start.y) * sign, Math.abs(x - start.x)];
    return ahead > 1 ? [{ id, cost: ahead + aside * 2 }] : [];
  });
  return scored.sort((a, b) => a.cost - b.cost)[0]?.id;
}

/** The next agent, or undefined at the border. In the run's direction, routes have priority over plain neighbours. */
export function walk(
  model: SystemGraphModel,
  boxes: ReadonlyMap<string, Box>,
  options: { from: string; arrow: Arrow; direction: Direction },
): string | undefined {
  const { from, arrow, direction } = options;
  const [forward, back] = direction === 'LR' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowDown', 'ArrowUp'];
  const node = model.byName.get(from);
  const box = boxes.get(from);
  if (!node || !box) return undefined;
  const others = (ids: Iterable<string>) =>
    [...ids].filter((id) => id !== from).flatMap((id) => (boxes.has(id) ? [[id, boxes.get(id) as Box] as const] : []));
  const along = arrow === forward ? others(node.targets) : arrow === back ? others(node.sources) : [];
  return nearest(box, along, arrow) ?? nearest(box, others(boxes.keys()), arrow) ?? along[0]?.[0];
}
