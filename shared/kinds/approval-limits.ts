// Limits shared by ToolApproval, TaskApproval and the rules that create them.
import { parseDuration } from '../duration.ts';

/** Default time for a decision; a duration as stored in specs. */
export const APPROVAL_TTL_DEFAULT = '10m';

/** The review cycle from which work can no longer be sent back. */
export const MAX_REVIEW_CYCLES_DEFAULT = 3;

/** The last moment that RFC 3339 can write. */
const DATE_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** When an approval made at `createdAt` expires; RFC 3339. */
export function expiryOf(ttl: string | undefined, createdAt: string): string {
  const ttlMs = parseDuration(ttl ?? APPROVAL_TTL_DEFAULT) ?? 0;
  return new Date(Math.min(Date.parse(createdAt) + ttlMs, DATE_MAX_MS)).toISOString();
}
