// Keeps the current tab of a row in view where the row is wider than the screen.
import { useLayoutEffect, useRef, type RefObject } from 'react';

/** For the row that scrolls. `selector` finds the current tab in it; the row moves to that tab whenever `current` changes, and never the page. */
export function useTabInView<Row extends HTMLElement>(selector: string, current: string | undefined): RefObject<Row | null> {
  const row = useRef<Row>(null);
  useLayoutEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>(selector);
    if (!row.current || !tab) return;
    const [{ left, width }, shown] = [tab.getBoundingClientRect(), row.current.getBoundingClientRect()];
    if (left < shown.left || left + width > shown.right) row.current.scrollLeft += left + width / 2 - (shown.left + shown.width / 2);
  }, [selector, current]);
  return row;
}
