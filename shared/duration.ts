// Durations as the API writes them: Go-style strings such as `30s`, `10m`, `1h30m`, `500ms`.

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;
/** Go's own range: an int64 of nanoseconds, about 292 years. */
const DURATION_MAX_MS = 9_223_372_036_854;

/** Milliseconds (fractions kept), or undefined when `text` is not a duration. `0` needs no unit; signs and spaces are refused. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!DURATION.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PART)) ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return ms <= DURATION_MAX_MS ? ms : undefined;
}

/** Whether the text is a duration past the longest there is. */
export function isTooLongDuration(text: string): boolean {
  return DURATION.test(text) && parseDuration(text) === undefined;
}

const DAYS = /^(\d+(?:\.\d+)?)d(.*)$/s;

/** As `parseDuration`, for flags and annotations, which take days as well: `30d`, `1d12h`. Durations in specs have no days. */
export function parseLongDuration(text: string): number | undefined {
  const [, days, rest = ''] = DAYS.exec(text) ?? [];
  if (days === undefined) return parseDuration(text);
  const restMs = rest === '' ? 0 : parseDuration(rest);
  const ms = restMs === undefined || rest === '0' ? Number.NaN : Number(days) * 24 * 3_600_000 + restMs;
  return ms <= DURATION_MAX_MS ? ms : undefined;
}

/** The shortest exact form down to milliseconds: `1h30m`, `2.5s` as `2s500ms`, `0s`. Sub-millisecond parts are rounded. */
export function formatDuration(ms: number): string {
  let rest = Math.round(Math.max(0, ms));
  const parts: string[] = [];
  for (const unit of ['h', 'm', 's', 'ms']) {
    const size = UNIT_MS[unit] ?? 1;
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join('') || '0s';
}

/** Milliseconds of a stored duration; of `fallback` where it is damaged. */
export function durationMs(text: string, fallback: string): number {
  return parseDuration(text) ?? parseDuration(fallback) ?? 0;
}
