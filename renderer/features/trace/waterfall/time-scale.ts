// Maps moments of a run onto a line and back: the whole of it or a part, with idle stretches folded to a mark. Pure.
import type { Stretch } from '../model/idle.ts';

/** A folded stretch and where its mark stands, from 0 to 1 of the visible line. */
export interface Break {
  readonly at: number;
  readonly ms: number;
  readonly start: number;
  readonly end: number;
  /** Where there is room to write how long it was. */
  readonly labelled: Labelled;
}

/** Where words can stand without covering others: on any line, on one of full width alone, or nowhere. */
export type Labelled = 'always' | 'wide' | 'never';

export interface Tick {
  readonly at: number;
  readonly place: number;
  /** Where its moment can be written: the words of a break do not stand there. */
  readonly labelled: Labelled;
}

export interface TimeScale {
  /** Place of a moment, 0 at the left edge and 1 at the right; outside of them when it is out of sight. */
  readonly place: (at: number) => number;
  /** The moment at a place. */
  readonly moment: (place: number) => number;
  readonly breaks: readonly Break[];
  /** Moments at even distances of working time, for the axis. */
  readonly ticks: readonly Tick[];
}

/** The share of the line that a break takes, and that all of them take at most. */
const BREAK_SHARE = 0.02;
const BREAKS_SHARE = 0.3;
/** The share of a line of full width that words take, and of one beside an inspector. */
const LABEL_DISTANCE = 0.08;
const NARROW_LABEL_DISTANCE = 0.3;
const TICKS = 6;

interface Piece {
  /** Real time. */
  readonly start: number;
  readonly end: number;
  /** Length on the line, in milliseconds of working time. */
  readonly length: number;
  /** Where it begins on the line. */
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
  /** The part to see; the whole when absent. */
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

/** Whether the words of a break stand on those of a tick, which begin at it. */
function covers({ at }: Break, tick: number, distance: number): boolean {
  return at > tick - distance / 2 && at < tick + 1.5 * distance;
}

function tickLabelled(breaks: readonly Break[], place: number): Labelled {
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
