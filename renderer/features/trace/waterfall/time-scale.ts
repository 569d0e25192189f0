// Maps times of a run onto a line and back: the whole of it or a part, with idle stretches folded to a mark. Pure.
import type { Stretch } from '../model/idle.ts';

/** A folded stretch and the position of its mark, from 0 to 1 of the visible line. */
interface Break {
  readonly at: number;
  readonly ms: number;
  readonly start: number;
  readonly end: number;
  /** Where its length can be written. */
  readonly labelled: LabelPlacement;
}

/** Place of a label that covers no other: on any line, only on one of full width, or nowhere. */
export type LabelPlacement = 'always' | 'wide' | 'never';

interface Tick {
  readonly at: number;
  readonly place: number;
  /** Where its time can be written: outside the label of a break. */
  readonly labelled: LabelPlacement;
}

export interface TimeScale {
  /** Position of a time, 0 at the left edge and 1 at the right; outside of this range when it is not visible. */
  readonly place: (at: number) => number;
  /** The time at a position. */
  readonly moment: (place: number) => number;
  readonly breaks: readonly Break[];
  /** Marks of the axis, evenly spaced in working time (without folded waits). */
  readonly ticks: readonly Tick[];
}

/** Share of the line for one break, and the maximum share for all of them. */
const BREAK_SHARE = 0.02;
const BREAKS_SHARE = 0.3;
/** Share of a label on a line of full width, and on one beside an inspector. */
const LABEL_DISTANCE = 0.08;
const NARROW_LABEL_DISTANCE = 0.3;
const TICKS = 6;

interface Piece {
  /** Real time. */
  readonly start: number;
  readonly end: number;
  /** Length on the line, in milliseconds of working time. */
  readonly length: number;
  /** Its start on the line. */
  readonly offset: number;
  readonly folded: boolean;
}

function piecesOf(window: Stretch, idle: readonly Stretch[]): readonly Piece[] {
  const idleMs = idle.reduce((sum, { start, end }) => sum + end - start, 0);
  const workMs = Math.max(1, window.end - window.start - idleMs);
  const mark = workMs * Math.min(BREAK_SHARE, BREAKS_SHARE / Math.max(1, idle.length));
  const pieces: Piece[] = [];
  let offset = 0;
  let at = window.start;
  const add = (end: number, length: number, folded: boolean) => {
    pieces.push({ start: at, end, length, offset, folded });
    offset += length;
    at = end;
  };
  for (const { start, end } of idle) {
    if (start > at) add(start, start - at, false);
    add(end, Math.min(mark, end - start), true);
  }
  if (at < window.end || pieces.length === 0) add(Math.max(window.end, at + 1), Math.max(1, window.end - at), false);
  return pieces;
}

/** The last piece that begins at or before the value. */
function pieceAt(pieces: readonly Piece[], value: number, by: 'start' | 'offset'): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pieces[middle] as Piece)[by] <= value) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}

export interface ScaleOptions {
  /** The whole of the run. */
  readonly window: Stretch;
  /** In order, inside of the window, without overlap. */
  readonly idle?: readonly Stretch[];
  /** The visible part; the whole when absent. */
  readonly zoom?: Stretch | undefined;
}

function breaksOf(pieces: readonly Piece[], place: (at: number) => number): readonly Break[] {
  let [written, writtenNarrow] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return pieces.flatMap(({ start, end, folded }): Break[] => {
    const at = (place(start) + place(end)) / 2;
    if (!folded || at < 0 || at > 1) return [];
    const wide = at - written >= LABEL_DISTANCE;
    const always = wide && at - writtenNarrow >= NARROW_LABEL_DISTANCE;
    if (wide) written = at;
    if (always) writtenNarrow = at;
    const labelled = always ? 'always' : wide ? 'wide' : 'never';
    return [{ start, end, ms: end - start, at, labelled }];
  });
}

/** Whether the label of a break covers the label of a tick, which begins at it. */
function covers({ at }: Break, tick: number, distance: number): boolean {
  return at > tick - distance / 2 && at < tick + 1.5 * distance;
}

function tickLabelled(breaks: readonly Break[], place: number): LabelPlacement {
  if (breaks.some((mark) => mark.labelled !== 'never' && covers(mark, place, LABEL_DISTANCE))) return 'never';
  return breaks.some((mark) => mark.labelled === 'always' && covers(mark, place, NARROW_LABEL_DISTANCE)) ? 'wide' : 'always';
}

export function timeScale({ window, idle = [], zoom }: ScaleOptions): TimeScale {
  const pieces = piecesOf(window, idle);
  const offsetOf = (at: number): number => {
    const piece = pieceAt(pieces, at, 'start');
    const real = Math.max(1, piece.end - piece.start);
    return piece.offset + (at - piece.start) * (piece.length / real);
  };
  const momentOf = (offset: number): number => {
    const piece = pieceAt(pieces, offset, 'offset');
    return piece.start + (offset - piece.offset) * ((piece.end - piece.start) / Math.max(Number.MIN_VALUE, piece.length));
  };
  const from = offsetOf(zoom?.start ?? window.start);
  const to = Math.max(from + 0.001, offsetOf(zoom?.end ?? pieces.at(-1)?.end ?? window.end));
  const place = (at: number) => (offsetOf(at) - from) / (to - from);
  const moment = (share: number) => momentOf(from + share * (to - from));
  const breaks = breaksOf(pieces, place);
  const ticks = Array.from({ length: TICKS }, (_, index) => {
    const share = index / TICKS;
    return { at: moment(share), place: share, labelled: tickLabelled(breaks, share) };
  });
  return { place, moment, breaks, ticks };
}

/** The least visible time, in milliseconds. */
const ZOOM_MIN_MS = 1;

export interface ZoomStep {
  /** The whole of the run. */
  readonly window: Stretch;
  /** Time that the visible part is moved around. */
  readonly around: number;
  /** Length of the next visible part, as a share of the current one. */
  readonly share: number;
}

/** The next visible part of a scale; undefined for the whole. */
export function zoomStep({ place, moment }: TimeScale, { window, around, share }: ZoomStep): Stretch | undefined {
  const [first, last] = [place(window.start), place(window.end)];
  // The places of a zoomed scale are not exact.
  if (share >= (last - first) * 0.999) return undefined;
  const from = Math.min(Math.max(place(around) - share / 2, first), last - share);
  const next = { start: moment(from), end: moment(from + share) };
  return next.end - next.start < ZOOM_MIN_MS ? { start: moment(0), end: moment(1) } : next;
}
