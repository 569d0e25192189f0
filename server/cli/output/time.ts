// Ages and durations as people read them.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12s`, `5m`, `3h`, `4d`, `2y`: the largest unit that fits, with a second one below ten. */
export function age(timestamp: string | undefined, nowMs: number): string {
  const then = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  if (Number.isNaN(then)) return '-';
  const ms = Math.max(0, nowMs - then);
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return twoUnits(ms, [MINUTE, 'm'], [SECOND, 's']);
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 10 * HOUR) return twoUnits(ms, [HOUR, 'h'], [MINUTE, 'm']);
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 730 * DAY) return `${Math.floor(ms / DAY)}d`;
  return `${Math.floor(ms / (365 * DAY))}y`;
}

function twoUnits(ms: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest > 0 ? `${rest}${smallName}` : ''}`;
}

/** `<1 ms`, `12 ms`, `1.24 s`, `2m 5s`. */
export function elapsed(ms: number): string {
  if (ms < 1) return '<1 ms';
  const wholeMs = Math.round(ms);
  if (wholeMs < SECOND) return `${wholeMs} ms`;
  const hundredths = Math.round(wholeMs / 10);
  if (hundredths < 6_000) return `${(hundredths / 100).toFixed(2)} s`;
  const seconds = Math.round(wholeMs / SECOND);
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** Milliseconds between two RFC 3339 times, or undefined when either is missing. */
export function between(start: string | undefined, end: string | undefined): number | undefined {
  const ms = Date.parse(end ?? '') - Date.parse(start ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
