// Five-field cron expressions in an IANA time zone.
import { Cron } from 'croner';

const FIELD = /^[\d*,/A-Za-z-]+$/;
const EXTENSIONS = /[LW#?]/;
const NAMES = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** Why `zone` is no IANA time zone, or undefined when it is one. */
export function timeZoneProblem(zone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return /^[+-]/.test(zone) ? `must be an IANA time zone such as Europe/Berlin, not the offset "${zone}"` : undefined;
  } catch {
    return `must be an IANA time zone such as Europe/Berlin or UTC, not "${zone}"`;
  }
}

/** Why `expression` is no 5-field cron expression, or undefined when it is one. Nicknames (`@daily`) and extensions (`L`, `W`, `#`, `?`) are refused. */
export function cronProblem(expression: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return `must have 5 fields (minute hour day month weekday), not ${expression.trim() === '' ? 0 : fields.length}`;
  const odd = fields.find((field) => !FIELD.test(field) || field.split(/[,/-]/).some((part) => EXTENSIONS.test(part) && !NAMES.test(part)));
  if (odd !== undefined) return `has "${odd}", which is not standard 5-field cron`;
  try {
    const cron = new Cron(expression.trim(), { mode: '5-part', paused: true, timezone: 'UTC' });
    return cron.nextRun() === null ? 'never fires' : undefined;
  } catch {
    return `must be a 5-field cron expression such as "0 9 * * 1-5", not "${expression}"`;
  }
}
