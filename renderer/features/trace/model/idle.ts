// Idle stretches of a run: waits for people, pauses before a retry, time until a worker claims it again. Pure.
import type { Span } from './spans.ts';

/** A stretch, in milliseconds since the epoch. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Shorter ones count as work. */
const IDLE_MIN_MS = 2_000;
/** Shorter than this share of the work of a long run, likewise. */
const IDLE_MIN_SHARE = 0.01;
/** Time that stays visible on both sides of a break. */
const EDGE_MS = 250;

/** Stretches in which a model or a tool works; open spans count until `now`. */
function busyStretches(spans: readonly Span[], now: number): Stretch[] {
  const busy: Stretch[] = [];
  for (const span of spans) {
    const end = span.end ?? now;
    // No worker held the run between two sends.
    if (span.kind === 'model') busy.push({ start: span.start, end: span.start }, { start: span.ticks.at(-1) ?? span.start, end });
    else if (span.kind === 'tool') {
      if (span.state === 'waiting') continue;
      // The call itself begins once the last approval of it is decided.
      const lastAnswer = span.children.reduce((latest, child) => Math.max(latest, child.end ?? now), span.start);
      busy.push({ start: Math.min(lastAnswer, end), end });
    } else if (span.kind === 'note') busy.push({ start: span.start, end: span.start });
  }
  return busy.sort((a, b) => a.start - b.start);
}

/** Working time between the two times. */
function workedMs(busy: readonly Stretch[], window: Stretch): number {
  let reached = window.start;
  let worked = 0;
  for (const { start, end } of busy) {
    worked += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return worked;
}

/**
 * The idle stretches between `start` and `end` of the window, in order, each shortened by the visible part at its edges. Stretches short in
 * relation to the run's work are left out.
 */
export function idleStretches(spans: readonly Span[], window: Stretch): Stretch[] {
  const busy = busyStretches(spans, window.end);
  const least = Math.max(IDLE_MIN_MS, workedMs(busy, window) * IDLE_MIN_SHARE);
  const idle: Stretch[] = [];
  let reached = window.start;
  const add = (until: number) => {
    if (until - reached >= least) idle.push({ start: reached + EDGE_MS, end: until - EDGE_MS });
  };
  for (const { start, end } of busy) {
    if (start > reached) add(Math.min(start, window.end));
    reached = Math.max(reached, end);
  }
  add(window.end);
  return idle;
}
