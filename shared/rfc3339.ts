// Times of RFC 3339. Pure.
const TIME = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch; undefined for another text, and for a day that does not exist. */
export function parseRfc3339(text: string): number | undefined {
  const [, year, month, day] = TIME.exec(text) ?? [];
  const midnight = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // The parser of JavaScript reads 31 February as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
