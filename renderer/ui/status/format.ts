// Formats of numbers, sizes, durations and money in the console. Pure: time and locale are arguments.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
];

/**
 * The biggest two units of a duration, `3h 12m`; under a second in milliseconds, under ten seconds with one decimal. NaN or negative reads
 * as a dash.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const at = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[at] ?? ['s', SECOND];
  const next = UNITS[at + 1];
  const whole = `${Math.floor(ms / size)}${unit}`;
  const rest = next ? Math.floor((ms % size) / next[1]) : 0;
  return next && rest > 0 ? `${whole} ${rest}${next[0]}` : whole;
}

/** Age in one unit as in tables: `now`, `12s`, `4m`, `3h`, `9d`, `2y`. The future reads `in 4m`. */
export function formatAge(from: number, now: number): string {
  if (!Number.isFinite(from)) return '–';
  const ms = Math.abs(now - from);
  if (ms < 2 * SECOND) return 'now';
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['s', SECOND];
  const text = ms >= 730 * DAY ? `${Math.floor(ms / (365 * DAY))}y` : `${Math.floor(ms / size)}${unit}`;
  return from > now ? `in ${text}` : text;
}

/** A countdown: `2d 3h`, `4h 07m`, `12:04`, `0:09`; a past time reads `0:00`. */
export function formatCountdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / SECOND));
  const minutes = Math.floor(left / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes < 60) return `${minutes}:${two(left % 60)}`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size in units of 1024 with at most one decimal: `512 B`, `1.5 KB`, `10 MB`. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '–';
  const step = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  const text = step === 0 || value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
  return `${text} ${BYTE_UNITS[step] ?? 'B'}`;
}

/** A number with separators of thousands. */
export function formatNumber(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** A stored number with all its digits. */
export function formatExact(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale, { maximumSignificantDigits: 17 }).format(value);
}

/** A number short enough for a badge: `940`, `1.2K`, `3M`. */
export function formatCompact(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** A share from 0 to 1 as whole per cent. Only 0 and 1 read as `0%` and `100%`. */
export function formatPercent(share: number, locale?: string): string {
  if (!Number.isFinite(share)) return '–';
  const kept = share > 0 && share < 1 ? Math.min(0.99, Math.max(0.01, share)) : share;
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(kept);
}

/** Money: cents as usual, but amounts below a cent keep two significant digits, since one model call costs fractions. */
export function formatCost(amount: number, currency = 'USD', locale?: string): string {
  if (!Number.isFinite(amount)) return '–';
  const tiny = amount !== 0 && Math.abs(amount) < 0.01;
  const digits = tiny ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits }).format(amount);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is an instant and nothing else. */
export const isInstant = (text: string): boolean => INSTANT.test(text) && Number.isFinite(Date.parse(text));

export type Zone = 'local' | 'UTC';

/** Date and time to the second, with the zone's short name: text of tooltips. */
export function formatInstant(at: number, zone: Zone, locale?: string): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'long' }, zone, locale).format(at);
}

/** Date and time to the second without the zone: text of columns with absolute times. */
export function formatDateTime(at: number, zone: Zone, locale?: string): string {
  const parts = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const;
  return dateFormat(parts, zone, locale).format(at);
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Creating a formatter costs far more than using it, and tables use it in every row. */
function dateFormat(options: Intl.DateTimeFormatOptions, zone: Zone, locale: string | undefined): Intl.DateTimeFormat {
  const key = JSON.stringify([options, zone, locale]);
  const made = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, ...(zone === 'UTC' && { timeZone: 'UTC' }) });
  dateFormats.set(key, made);
  return made;
}
