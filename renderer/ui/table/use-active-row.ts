// The row at the keyboard focus: it stays the same when others appear or disappear above it.
import { useCallback, useMemo, useState } from 'react';

/** A row, and its last index. */
export interface Place {
  readonly key: string;
  readonly index: number;
}

const FIRST: Place = { key: '', index: 0 };

/** The row's current index; its last index when it was removed; -1 without rows. Pure. */
export function placeOf(keys: { readonly length: number; readonly at: (index: number) => string }, { key, index }: Place): number {
  const isAt = (each: number) => each >= 0 && each < keys.length && keys.at(each) === key;
  const farthest = key === '' ? 0 : Math.max(keys.length, index);
  // Rows mostly appear and disappear near the active one.
  for (let away = 0; away <= farthest; away += 1) {
    if (isAt(index + away)) return index + away;
    if (isAt(index - away)) return index - away;
  }
  return Math.min(index, keys.length - 1);
}

/** Index of the active row, at first 0 or that of `start`, and its setter. */
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
