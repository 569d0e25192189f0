// Holds back rows that arrive while the user reads further down, so that the list does not jump. Pure.
import { runKey, type Run } from '../model/run.ts';

export interface HeldRows {
  readonly rows: readonly Run[];
  /** Number of held rows. */
  readonly fresh: number;
}

/**
 * `known`: rows present when the person left the top; undefined while they are at the top. Only rows before the first known one are held.
 */
export function holdBack(rows: readonly Run[], known: ReadonlySet<string> | undefined): HeldRows {
  if (known === undefined) return { rows, fresh: 0 };
  const first = rows.findIndex((run) => known.has(runKey(run)));
  return first <= 0 ? { rows, fresh: 0 } : { rows: rows.slice(first), fresh: first };
}
