// Times of a zone as the browser's field for date and time writes them, such as `2026-11-24T09:30`. Pure.
import { instantOf } from '@svc/shared/cron/cron';

/** The minute that the clocks of a zone show. */
export function zoneTime(at: number, timeZone: string): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone }).format(at).replace(' ', 'T');
}

/** RFC 3339 in UTC. A time that comes twice is the first one; undefined for an incomplete text and for a day that the zone skips. */
export function parseZoneTime(text: string, timeZone: string): string | undefined {
  const wall = Date.parse(`${text}Z`);
  const at = Number.isNaN(wall) ? undefined : instantOf(timeZone, wall);
  return at === undefined ? undefined : new Date(at).toISOString();
}
