// Position of a reader of the trace: the journal entry, and the place among its trace entries.
import { ServiceError } from '@svc/shared/errors';

export interface TraceCursor {
  readonly seq: number;
  readonly index: number;
}

/** Behind everything that a journal entry gave. */
export const CURSOR_INDEX_MAX = 999_999;

export function formatCursor({ seq, index }: TraceCursor): string {
  return `${seq}.${index}`;
}

/** The start when absent. Throws `invalid` for anything `formatCursor` did not make. */
export function parseCursor(text: string | undefined): TraceCursor {
  if (text === undefined || text === '') return { seq: 0, index: 0 };
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(text);
  if (!match) throw new ServiceError('invalid', `the cursor "${text}" is not from this endpoint; leave out "after" to begin at the start`);
  return { seq: Number(match[1]), index: Number(match[2]) };
}

/** True when the place is strictly after the cursor. */
export function isAfter(place: TraceCursor, cursor: TraceCursor): boolean {
  return place.seq === cursor.seq ? place.index > cursor.index : place.seq > cursor.seq;
}
