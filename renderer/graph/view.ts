// Initial view of a graph: readable first, complete second. Pure.
import type { Box, Direction, Size } from './layout.ts';

/** Below that, the text of cards, 14 px, is smaller than 12 px on the screen. */
export const FIRST_ZOOM = { min: 0.9, max: 1 } as const;
/** For pictures of runs: their states and names at a glance, rather than all texts. */
export const OVERVIEW_ZOOM_MIN = 0.6;
/** Only for the picture beside a run: its smallest text is then 10 px. */
export const RUN_ZOOM_MIN = 0.8;
/** So many cards are never visible together at a readable size: an overview map then shows where the view is. */
export const MAP_NODES_MIN = 25;
const MARGIN = { x: 32, y: 20 } as const;
/** Height at the bottom of the canvas that holds the buttons of the zoom. */
const FOOT = 52;
/** Overhang of the cards, in the canvas's own px: signs above, the state of a run below. */
const ABOVE = 14;
const BELOW = 30;

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** The rectangle around all boxes. */
export function boundsOf(boxes: Iterable<Box>): Box {
  const all = [...boxes];
  if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.min(...all.map((box) => box.x));
  const y = Math.min(...all.map((box) => box.y));
  const right = Math.max(...all.map((box) => box.x + box.width));
  const bottom = Math.max(...all.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

const aroundCards = (boxes: ReadonlyMap<string, Box>): Box => {
  const cards = boundsOf(boxes.values());
  return { ...cards, y: cards.y - ABOVE, height: cards.height + ABOVE + BELOW };
};

const roomOf = (screen: Size): Size => ({
  width: Math.max(1, screen.width - 2 * MARGIN.x),
  height: Math.max(1, screen.height - MARGIN.y - FOOT),
});

/** Zoom at which all of the graph is visible, 1 at most. */
export function fittingZoom(boxes: ReadonlyMap<string, Box>, screen: Size): number {
  const bounds = aroundCards(boxes);
  const room = roomOf(screen);
  return Math.min(FIRST_ZOOM.max, room.width / Math.max(1, bounds.width), room.height / Math.max(1, bounds.height));
}

interface FirstView {
  readonly direction: Direction;
  readonly zoomMin?: number | undefined;
  /** The card that is visible in any case. */
  readonly foremost?: Box | undefined;
}

/** Centres the graph where it fits at a readable size; otherwise shows where runs start, or the foremost card. */
export function firstView(
  boxes: ReadonlyMap<string, Box>,
  screen: Size,
  { direction, zoomMin = FIRST_ZOOM.min, foremost }: FirstView,
): View {
  const bounds = aroundCards(boxes);
  const room = roomOf(screen);
  const zoom = Math.max(zoomMin, fittingZoom(boxes, screen));
  const centred = { x: (screen.width - bounds.width * zoom) / 2, y: (screen.height - bounds.height * zoom) / 2 };
  const fitsX = bounds.width * zoom <= room.width + 1;
  const fitsY = bounds.height * zoom <= room.height + 1;
  const left = !fitsX && direction === 'LR' ? MARGIN.x : centred.x;
  // Centred, but for the buttons below.
  const fittingTop = Math.min(centred.y, screen.height - FOOT - bounds.height * zoom);
  const top = fitsY ? Math.max(MARGIN.y, fittingTop) : direction === 'TB' ? MARGIN.y : centred.y;
  const view = { x: left - bounds.x * zoom, y: top - bounds.y * zoom, zoom };
  return foremost && !(fitsX && fitsY) ? broughtIn(view, foremost, { screen, bounds }) : view;
}

const isSame = (a: View, b: View) => a.x === b.x && a.y === b.y;

/** The view where it shows the card; else the card in its middle, with its neighbours around it, but no space beyond the graph. */
function broughtIn(view: View, card: Box, { screen, bounds }: { readonly screen: Size; readonly bounds: Box }): View {
  if (isSame(shiftedTo(view, card, screen), view)) return view;
  const { zoom } = view;
  const middle = { x: card.x + card.width / 2, y: card.y + card.height / 2 };
  // Bounds cross where the graph is smaller than the screen.
  const within = ([least, most]: readonly [number, number], wanted: number, kept: number) =>
    most < least ? kept : Math.min(most, Math.max(least, wanted));
  const right = screen.width - MARGIN.x - (bounds.x + bounds.width) * zoom;
  const bottom = screen.height - FOOT - (bounds.y + bounds.height) * zoom;
  const x = within([right, MARGIN.x - bounds.x * zoom], screen.width / 2 - middle.x * zoom, view.x);
  const y = within([bottom, MARGIN.y - bounds.y * zoom], screen.height / 2 - middle.y * zoom, view.y);
  return shiftedTo({ x, y, zoom }, card, screen);
}

/** Shift that brings an interval into 0…size; the begin of one that is longer. */
function shiftInto(from: number, to: number, size: number): number {
  if (from < 0 || to - from > size) return -from;
  return Math.min(0, size - to);
}

/** The nearest view that shows the whole card: the same one where it does. */
export function shiftedTo({ x, y, zoom }: View, card: Box, screen: Size): View {
  const left = x + card.x * zoom - MARGIN.x;
  const top = y + (card.y - ABOVE) * zoom;
  return {
    zoom,
    x: x + shiftInto(left, left + card.width * zoom + 2 * MARGIN.x, screen.width),
    y: y + shiftInto(top, top + (card.height + ABOVE + BELOW) * zoom, screen.height),
  };
}

/** The view after the canvas changed its size: the middle line stays in the middle, and the selected card becomes visible. */
export function resizedView(view: View, before: Size, after: Size & { readonly selected: Box | undefined }): View {
  const y = view.y + (after.height - before.height) / 2;
  return after.selected ? shiftedTo({ ...view, y }, after.selected, after) : { ...view, y };
}
