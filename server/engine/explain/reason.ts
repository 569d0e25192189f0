// Shape of a reason, and the text of moments in one.
import { formatDuration } from '@svc/shared/duration';
import type { JsonObject } from '@svc/shared/json';

/** `{code, message, until?, object?}`. */
export type Reason = JsonObject;

export const momentOf = (ms: number): string => new Date(ms).toISOString();

/** `in 42s`, or `now`. */
export function remaining(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1_000);
  return seconds > 0 ? `in ${formatDuration(seconds * 1_000)}` : 'now';
}

/** `42s`. */
export function elapsed(since: number, now: number): string {
  return formatDuration(Math.max(0, Math.floor((now - since) / 1_000)) * 1_000);
}
