// Size of an agent's card, from its name alone: known before it is drawn, so that nothing moves when facts arrive. Pure.
import type { Size } from './layout.ts';
import type { SystemGraphModel } from './system-graph.ts';

const CHARACTER_PX = 8.6;
const AROUND_NAME_PX = 66;
const WIDTH_MIN = 244;
const WIDTH_MAX = 372;
const CARD_HEIGHT = 108;

export function cardSize(name: string): Size {
  return { width: Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, name.length * CHARACTER_PX + AROUND_NAME_PX))), height: CARD_HEIGHT };
}

export function cardSizes(model: SystemGraphModel): ReadonlyMap<string, Size> {
  return new Map(model.nodes.map(({ id }) => [id, cardSize(id)]));
}
