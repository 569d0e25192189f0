// Timing of a replay: the event shown after a given playing time. Pure; idle stretches are skipped in a moment.
import type { Stretch } from './idle.ts';

export const SPEEDS = [0.5, 1, 2, 5, 10, 50] as const;

/** Number of events up to a time; `times` ascend. */
export function positionAt(times: readonly number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Playing time of an idle stretch. */
const IDLE_PLAYED_MS = 400;

/** The time that is `ms` of playing time after another one. */
export function advance(at: number, ms: number, idle: readonly Stretch[]): number {
  let moment = at;
  let left = ms;
  for (const { start, end } of idle) {
    if (end <= moment) continue;
    const before = Math.max(0, start - moment);
    if (left <= before) return moment + left;
    left -= before;
    moment = Math.max(moment, start);
    const rate = (end - start) / Math.min(IDLE_PLAYED_MS, end - start);
    const through = (end - moment) / rate;
    if (left <= through) return moment + left * rate;
    left -= through;
    moment = end;
  }
  return moment + left;
}

/** Place of the next or previous time with an event: simultaneous events are one step. */
export function stepFrom(times: readonly number[], position: number, direction: 1 | -1): number {
  if (direction === 1) {
    const next = times[position];
    return next === undefined ? times.length : positionAt(times, next);
  }
  const current = times[position - 1];
  return current === undefined ? 0 : positionAt(times, current - 1);
}

/** Number of events in each of `bins` equal parts of the events' places on the line. */
export function density(times: readonly number[], place: (at: number) => number, bins: number): readonly number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const at of times) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(place(at) * bins)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
