// Position of each agent: set by hand, or computed so that runs read from left to right or from top to bottom. Independent of the canvas.
import { Graph, layout } from '@dagrejs/dagre';
import { LRUCache } from 'lru-cache';
import type { SystemGraphModel } from './system-graph.ts';

export type Direction = 'LR' | 'TB';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Positions set by hand: from the annotation, or from this session's drags. */
export interface Placement {
  readonly direction: Direction;
  readonly positions: ReadonlyMap<string, Point>;
}

/** The annotation that keeps a placement apart from the spec. */
export const LAYOUT_ANNOTATION = 'svc.dev/ui-layout';

const KEPT_MAX = 24;
const computed = new LRUCache<string, ReadonlyMap<string, Point>>({ max: KEPT_MAX });

function compute(model: SystemGraphModel, sizes: ReadonlyMap<string, Size>, direction: Direction): ReadonlyMap<string, Point> {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: direction, nodesep: direction === 'LR' ? 44 : 56, ranksep: direction === 'LR' ? 60 : 72, edgesep: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  // Short keys for names: the library keeps nodes as keys of plain objects, where `constructor` and `__proto__` have a meaning.
  const key = new Map(model.nodes.map(({ id }, index) => [id, String(index)]));
  const keyOf = (id: string) => key.get(id) ?? '';
  for (const { id } of model.nodes) graph.setNode(keyOf(id), { ...(sizes.get(id) ?? { width: 220, height: 72 }) });
  for (const { source, target, self, chips, kind } of model.edges) {
    if (self) continue;
    const width = chips.length > 0 && direction === 'LR' ? Math.min(200, Math.max(...chips.map((chip) => chip.length * 7.4 + 16))) : 0;
    // Back routes are reversed by hand, so that the ranks follow the direction of a run.
    const [from, to] = kind === 'loop-back' ? [target, source] : [source, target];
    graph.setEdge(keyOf(from), keyOf(to), {
      width,
      height: chips.length > 0 ? 26 : 0,
      labelpos: 'c',
      weight: kind === 'loop-back' ? 0 : 1,
    });
  }
  layout(graph);
  const boxes = model.nodes.map(({ id }) => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(keyOf(id)) as Partial<Box>;
    return { id, x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height };
  });
  const connected = new Set(model.nodes.filter(({ sources, targets }) => sources.length + targets.length > 0).map(({ id }) => id));
  return inOrder(boxes, connected, direction);
}

/** Chooses, of the two mirror images of a layout, the one in which siblings keep the order of the system's YAML. */
function inOrder(
  boxes: readonly (Box & { readonly id: string })[],
  connected: ReadonlySet<string>,
  direction: Direction,
): ReadonlyMap<string, Point> {
  const level = direction === 'LR';
  const ranks = new Map<number, number[]>();
  for (const { id, x, y, width, height } of boxes) {
    if (!connected.has(id)) continue;
    const [rank, place] = level ? [Math.round(x + width / 2), y] : [Math.round(y + height / 2), x];
    ranks.set(rank, [...(ranks.get(rank) ?? []), place]);
  }
  const steps = [...ranks.values()].flatMap((places) => places.slice(1).map((place, index) => Math.sign(place - (places[index] ?? 0))));
  const mirrored = steps.reduce((sum, step) => sum + step, 0) < 0;
  const far = Math.max(0, ...boxes.map((box) => (level ? box.y + box.height : box.x + box.width)));
  return new Map(
    boxes.map(({ id, x, y, width, height }) => {
      if (!mirrored) return [id, { x, y }];
      return [id, level ? { x, y: far - y - height } : { x: far - x - width, y }];
    }),
  );
}

/** The computed positions; the same object for the same structure, sizes and direction. */
export function computedLayout(
  model: SystemGraphModel,
  sizes: ReadonlyMap<string, Size>,
  direction: Direction,
): ReadonlyMap<string, Point> {
  const chips = model.edges.map((edge) => edge.chips.join('&')).join(' ');
  const key = `${direction}|${model.structure}|${[...sizes.values()].map(({ width, height }) => `${width}x${height}`).join(' ')}|${chips}`;
  const known = computed.get(key);
  if (known) return known;
  const made = compute(model, sizes, direction);
  computed.set(key, made);
  return made;
}

/** Every node's box: at its position set by hand, otherwise computed. */
export function boxesOf(model: SystemGraphModel, sizes: ReadonlyMap<string, Size>, placement: Placement): ReadonlyMap<string, Box> {
  const all = placement.positions.size > 0 && model.nodes.every(({ id }) => placement.positions.has(id));
  const places = all ? placement.positions : computedLayout(model, sizes, placement.direction);
  return new Map(
    model.nodes.map(({ id }) => {
      const at = placement.positions.get(id) ?? places.get(id) ?? { x: 0, y: 0 };
      return [id, { ...at, ...(sizes.get(id) ?? { width: 220, height: 72 }) }];
    }),
  );
}

/** `{"d":"LR","n":{"agent":[x,y]}}`. Invalid text is not a placement. */
export function readLayout(annotation: string | undefined): Placement {
  const positions = new Map<string, Point>();
  try {
    const parsed = JSON.parse(annotation ?? '{}') as { d?: unknown; n?: unknown } | null;
    for (const [name, at] of Object.entries(parsed?.n ?? {})) {
      const [x, y] = Array.isArray(at) ? (at as unknown[]) : [];
      if (typeof x === 'number' && typeof y === 'number' && Number.isFinite(x + y)) positions.set(name, { x, y });
    }
    return { direction: parsed?.d === 'TB' ? 'TB' : 'LR', positions };
  } catch {
    return { direction: 'LR', positions };
  }
}

/** The annotation, or undefined when there is nothing to keep. */
export function writeLayout({ direction, positions }: Placement): string | undefined {
  if (positions.size === 0 && direction === 'LR') return undefined;
  const entries = [...positions].map(([name, { x, y }]) => [name, [Math.round(x), Math.round(y)]]);
  return JSON.stringify({ d: direction, ...(entries.length > 0 && { n: Object.fromEntries(entries) as unknown }) });
}
