// Which row of a list the keyboard is at: it stays with that row when others come or go above it.
import { useCallback, useMemo, useState } from 'react';

/** A row, and where it was seen last. */
export interface Place {
  readonly key: string;
  readonly index: number;
}

const FIRST: Place = { key: '', index: 0 };

/** Where the row is now; where it was, when it has gone; -1 without rows. Pure. */
export function placeOf(keys: { readonly length: number; readonly at: (index: number) => string }, { key, index }: Place): number {
  const isAt = (each: number) => each >= 0 && each < keys.length && keys.at(each) === key;
  const farthest = key === '' ? 0 : Math.max(keys.length, index);
  // Rows mostly come and go near the one that is looked at.
  for (let away = 0; away <= farthest; away += 1) {
    if (isAt(index + away)) return index + away;
    if (isAt(index - away)) return index - away;
  }
  return Math.min(index, keys.length - 1);
}

/** The index of the active row, at first 0 or that of `start`, and what makes another one active. */
export function useActiveRow<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  start: Place = FIRST,
): [number, (index: number) => void] {
  const [place, setPlace] = useState(start);
  const active = useMemo(() => placeOf({ length: rows.length, at: (index) => keyOf(rows[index] as Row) }, place), [rows, keyOf, place]);
  const setActive = useCallback(
    (index: number) => {
      const row = rows[index];
      if (row !== undefined) setPlace({ key: keyOf(row), index });
    },
    [rows, keyOf],
  );
  return [active, setActive];
}
