// Keeps the current tab of a row in view where the row is wider than the screen.
import { useLayoutEffect, useRef, type RefObject } from 'react';

interface Current {
  /** Finds the current tab in the row. */
  readonly selector: string;
  readonly value: string | undefined;
  /** Number of tabs. */
  readonly of: number;
}

/**
 * For the row that scrolls. It moves to the current tab, never the page, and again when tabs arrive or become wider, as by a count or by the font,
 * until somebody scrolls it.
 */
export function useTabInView<Row extends HTMLElement>({ selector, value, of }: Current): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const placed = useRef<{ readonly box: Row; readonly value: string | undefined; readonly at: number }>(undefined);
  useLayoutEffect(() => {
    const { current: box } = row;
    const tab = box?.querySelector<HTMLElement>(selector);
    if (!box || !tab) return undefined;
    const place = () => {
      const last = placed.current;
      if (last?.box === box && last.value === value && last.at !== box.scrollLeft) return;
      const [{ left, right, width }, shown] = [tab.getBoundingClientRect(), box.getBoundingClientRect()];
      if (left < shown.left || right > shown.right) box.scrollLeft += left + width / 2 - (shown.left + shown.width / 2);
      placed.current = { box, value, at: box.scrollLeft };
    };
    place();
    const sizes = new ResizeObserver(place);
    for (const each of box.children) sizes.observe(each, { box: 'border-box' });
    return () => sizes.disconnect();
  }, [selector, value, of]);
  return row;
}
