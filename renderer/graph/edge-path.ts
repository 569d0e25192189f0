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
  /** Lane of a back route, or of one that goes around cards: y when the graph runs to the right, x when it runs down. */
  readonly lane: number | undefined;
}

const PARALLEL_GAP = 34;
const BOW_MIN = 44;
const TURN = 24;
const CORNER = 14;
const LANE_GAP = 20;
const LANE_FIRST = 40;
const ARC = 34;
const LABEL_STEP = 0.24;
/** Room between a lane and the cards beside it: for a label, and below a card for the state of a run. */
const CLEAR = { before: 20, after: 36 } as const;
/** Places of a line that are compared with the cards between its ends. */
const SAMPLES = 16;

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

/** Labels are wide and low: beside parallel vertical lines they are stacked. */
function placeOfLabel({ index, count }: SystemEdge['parallel'], direction: Direction): number {
  if (direction === 'LR' || count < 2) return 0.5;
  return 0.5 + (index - (count - 1) / 2) * Math.min(LABEL_STEP, 0.6 / (count - 1));
}

/** Computed as if the graph ran to the right; one that runs down is turned before and after. */
export function edgeLine({ from, to, direction, edge, lane }: LineOptions): EdgeLine {
  const turn = direction === 'LR' ? (point: Point) => point : turned;
  const [start, end] = [turn(from), turn(to)];
  const shift = edge.parallel.index - (edge.parallel.count - 1) / 2;
  if (lane !== undefined) {
    const back = edge.kind === 'loop-back';
    const y = !back ? lane : edge.self ? lane - edge.parallel.index * LANE_GAP : lane + edge.parallel.index * LANE_GAP;
    const corners = [
      start,
      { x: start.x + TURN, y: start.y },
      { x: start.x + TURN, y },
      { x: end.x - TURN, y },
      { x: end.x - TURN, y: end.y },
      end,
    ];
    // Labels are wide: beside a lane that runs down there is no room for one, but there is before its first corner.
    const label = back || direction === 'LR' ? { x: (start.x + end.x) / 2, y } : { x: start.x + TURN, y: (start.y + y) / 2 };
    return { path: rounded(corners.map(turn)), label: turn(label) };
  }
  const { points, label } = bow(start, end, { offset: shift * PARALLEL_GAP * (4 / 3), along: placeOfLabel(edge.parallel, direction) });
  const [first, second] = points.map(turn);
  return { path: `M${at(from)} C${at(first ?? from)} ${at(second ?? to)} ${at(to)}`, label: turn(label) };
}

interface Lane {
  readonly low: number;
  readonly high: number;
  readonly lane: number;
}

/** Places across the direction of the graph that no lane may take, in order and merged. */
function blockedBy(boxes: readonly Box[], taken: readonly Lane[]): readonly (readonly [from: number, to: number])[] {
  const all = [
    ...boxes.map(({ y, height }) => [y - CLEAR.before, y + height + CLEAR.after] as const),
    ...taken.map(({ lane }) => [lane - LANE_GAP, lane + LANE_GAP] as const),
  ].sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of all) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Boxes as if the graph ran to the right. */
function levelled(boxes: ReadonlyMap<string, Box>, direction: Direction): ReadonlyMap<string, Box> {
  if (direction === 'LR') return boxes;
  return new Map([...boxes].map(([id, { x, y, width, height }]) => [id, { x: y, y: x, width: height, height: width }]));
}

/** Lane of a route whose own line would run behind a card, by the shortest way around; undefined where nothing is in its way. */
function detour(edge: SystemEdge, boxes: ReadonlyMap<string, Box>, taken: Lane[]): number | undefined {
  const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
  if (!source || !target) return undefined;
  const [start, end] = [outOf(source, 'LR'), into(target, 'LR')];
  const between: Box[] = [];
  for (const box of boxes.values()) if (box.x < end.x && box.x + box.width > start.x && box !== source && box !== target) between.push(box);
  if (between.length === 0) return undefined;
  const line = Array.from({ length: SAMPLES }, (_, index) => bow(start, end, { offset: 0, along: (index + 1) / (SAMPLES + 1) }).label);
  const hides = ({ x, y, width, height }: Box) => line.some((on) => on.x > x && on.x < x + width && on.y > y && on.y < y + height);
  if (!between.some(hides)) return undefined;
  const [low, high] = [start.x, end.x];
  const wanted = (start.y + end.y) / 2;
  const blocked = blockedBy(
    between,
    taken.filter((other) => other.low < high && other.high > low),
  ).find(([from, to]) => wanted > from && wanted < to);
  const lane = blocked === undefined ? wanted : wanted - blocked[0] < blocked[1] - wanted ? blocked[0] : blocked[1];
  taken.push({ low, high, lane });
  return lane;
}

/** Lane of each back route: outside of all boxes between its ends, one lane each; around its own box for a route to itself. */
function backLane(edge: SystemEdge, boxes: ReadonlyMap<string, Box>, taken: Lane[]): number | undefined {
  const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
  if (!source || !target) return undefined;
  if (edge.self) return source.y - ARC;
  const low = Math.min(source.x, target.x) - TURN;
  const high = Math.max(source.x + source.width, target.x + target.width) + TURN;
  const between = [...boxes.values()].filter(({ x, width }) => x + width >= low && x <= high);
  let lane = Math.max(...between.map(({ y, height }) => y + height)) + LANE_FIRST;
  const beside = taken.filter((other) => other.low < high && other.high > low).map((other) => other.lane);
  // In order: a lane that is passed is not met again.
  for (const other of beside.sort((a, b) => a - b)) while (Math.abs(other - lane) < LANE_GAP) lane += LANE_GAP;
  taken.push({ low, high, lane });
  return lane;
}

/** Lanes of the routes that have one: those that lead back, and those that go around cards. */
export function lanesOf(edges: readonly SystemEdge[], boxes: ReadonlyMap<string, Box>, direction: Direction): ReadonlyMap<string, number> {
  const level = levelled(boxes, direction);
  const lanes = new Map<string, number>();
  const taken: Lane[] = [];
  for (const edge of edges) {
    const lane = edge.kind === 'loop-back' ? backLane(edge, level, taken) : detour(edge, level, taken);
    if (lane !== undefined) lanes.set(edge.id, lane);
  }
  return lanes;
}
