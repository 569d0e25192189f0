// Line of a route and position of its label, from the boxes it connects. Pure: the canvas and the SVG export draw the same.
import type { Box, Direction, Point } from './layout.ts';
import type { SystemEdge } from './system-graph.ts';

export interface EdgeLine {
  readonly path: string;
  readonly label: Point;
}

export interface LineOptions {
  readonly from: Point;
  readonly to: Point;
  readonly direction: Direction;
  readonly edge: Pick<SystemEdge, 'kind' | 'self' | 'parallel'>;
  /** Lane of a back route: y when the graph runs to the right, x when it runs down. */
  readonly lane: number;
}

const PARALLEL_GAP = 34;
const BOW_MIN = 44;
const TURN = 24;
const CORNER = 14;
const LANE_GAP = 20;
const LANE_FIRST = 40;
const ARC = 34;
const LABEL_STEP = 0.24;

/** Points where routes leave and arrive. */
export function outOf({ x, y, width, height }: Box, direction: Direction): Point {
  return direction === 'LR' ? { x: x + width, y: y + height / 2 } : { x: x + width / 2, y: y + height };
}

export function into({ x, y, width, height }: Box, direction: Direction): Point {
  return direction === 'LR' ? { x, y: y + height / 2 } : { x: x + width / 2, y };
}

const turned = ({ x, y }: Point): Point => ({ x: y, y: x });
const at = ({ x, y }: Point) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;

/** A line through the points with rounded corners. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${at(first)}`];
  rest.forEach((corner, index) => {
    const before = points[index] ?? corner;
    const after = rest[index + 1];
    if (!after) return parts.push(`L${at(corner)}`);
    const toward = (other: Point): Point => {
      const length = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
      const step = Math.min(CORNER, length / 2) / length;
      return { x: corner.x + (other.x - corner.x) * step, y: corner.y + (other.y - corner.y) * step };
    };
    return parts.push(`L${at(toward(before))}`, `Q${at(corner)} ${at(toward(after))}`);
  });
  return parts.join(' ');
}

/** `along` is the position of its label on the line, from 0 to 1. */
function bow(from: Point, to: Point, { offset, along }: { readonly offset: number; readonly along: number }) {
  const reach = Math.max(BOW_MIN, Math.abs(to.x - from.x) / 2);
  const first = { x: from.x + reach, y: from.y + offset };
  const second = { x: to.x - reach, y: to.y + offset };
  const [t, rest] = [along, 1 - along];
  const on = (...[a, b, c, d]: readonly [number, number, number, number]) =>
    a * rest ** 3 + 3 * b * rest ** 2 * t + 3 * c * rest * t ** 2 + d * t ** 3;
  return { points: [first, second], label: { x: on(from.x, first.x, second.x, to.x), y: on(from.y, first.y, second.y, to.y) } };
}

/** Labels are wide and low: where lines run down beside each other, they stand one below the other. */
function placeOfLabel({ index, count }: SystemEdge['parallel'], direction: Direction): number {
  if (direction === 'LR' || count < 2) return 0.5;
  return 0.5 + (index - (count - 1) / 2) * Math.min(LABEL_STEP, 0.6 / (count - 1));
}

/** Computed as if the graph ran to the right; one that runs down is turned before and after. */
export function edgeLine({ from, to, direction, edge, lane }: LineOptions): EdgeLine {
  const turn = direction === 'LR' ? (point: Point) => point : turned;
  const [start, end] = [turn(from), turn(to)];
  const shift = edge.parallel.index - (edge.parallel.count - 1) / 2;
  if (edge.kind === 'loop-back') {
    const y = edge.self ? lane - edge.parallel.index * LANE_GAP : lane + edge.parallel.index * LANE_GAP;
    const corners = [
      start,
      { x: start.x + TURN, y: start.y },
      { x: start.x + TURN, y },
      { x: end.x - TURN, y },
      { x: end.x - TURN, y: end.y },
      end,
    ];
    return { path: rounded(corners.map(turn)), label: turn({ x: (start.x + end.x) / 2, y }) };
  }
  const { points, label } = bow(start, end, { offset: shift * PARALLEL_GAP * (4 / 3), along: placeOfLabel(edge.parallel, direction) });
  const [first, second] = points.map(turn);
  return { path: `M${at(from)} C${at(first ?? from)} ${at(second ?? to)} ${at(to)}`, label: turn(label) };
}

/** Lane of each back route: outside of all boxes between its ends, one lane each; around its own box for a route to itself. */
export function lanesOf(edges: readonly SystemEdge[], boxes: ReadonlyMap<string, Box>, direction: Direction): ReadonlyMap<string, number> {
  const level = direction === 'LR';
  const along = (box: Box): readonly [number, number] => (level ? [box.x, box.x + box.width] : [box.y, box.y + box.height]);
  const outer = (box: Box) => (level ? box.y + box.height : box.x + box.width);
  const lanes = new Map<string, number>();
  const taken: { readonly low: number; readonly high: number; readonly lane: number }[] = [];
  for (const edge of edges) {
    const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
    if (edge.kind !== 'loop-back' || !source || !target) continue;
    if (edge.self) {
      lanes.set(edge.id, (level ? source.y : source.x) - ARC);
      continue;
    }
    const [low, high] = [Math.min(along(source)[0], along(target)[0]) - TURN, Math.max(along(source)[1], along(target)[1]) + TURN];
    const between = [...boxes.values()].filter((box) => along(box)[1] >= low && along(box)[0] <= high);
    let lane = Math.max(...between.map(outer)) + LANE_FIRST;
    while (taken.some((other) => other.low < high && other.high > low && Math.abs(other.lane - lane) < LANE_GAP)) lane += LANE_GAP;
    taken.push({ low, high, lane });
    lanes.set(edge.id, lane);
  }
  return lanes;
}
