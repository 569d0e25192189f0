// Rows that came while somebody reads further down: kept back until they are wanted, so that the list does not jump. Pure.
import { runKey, type Run } from '../model/run.ts';

export interface HeldRows {
  readonly rows: readonly Run[];
  /** How many were kept back. */
  readonly fresh: number;
}

/** `known`: the rows there were when the person left the top; undefined while they are at the top. Only what stands before the first known row is held. */
export function holdBack(rows: readonly Run[], known: ReadonlySet<string> | undefined): HeldRows {
  if (known === undefined) return { rows, fresh: 0 };
  const first = rows.findIndex((run) => known.has(runKey(run)));
  return first <= 0 ? { rows, fresh: 0 } : { rows: rows.slice(first), fresh: first };
}
