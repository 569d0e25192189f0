// Rows of one height, of which only the visible ones are rendered, and the one with the keyboard focus.
import { defaultRangeExtractor, useVirtualizer, type Range, type VirtualItem } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { focusRendered } from '../focus-rendered.ts';
import { usePrintedRange } from './printing.tsx';

export interface VirtualRowsOptions {
  readonly count: number;
  /** Key of the row at an index. Keep the function's identity while the rows are the same. */
  readonly keyOf: (index: number) => string | number;
  /** Height of each row, in px. */
  readonly rowHeight: number;
  /**
   * The row with the focus or the tab stop. It stays rendered wherever the list is scrolled: without it keys would have no target. -1:
   * none.
   */
  readonly active: number;
  /** Rendered rows beyond each edge of the visible part. */
  readonly overscan: number;
  /** Height of content over or in front of the rows in the same scroller, in px. */
  readonly headHeight?: number;
  /** Space above the first row and below the last, in px. */
  readonly padding?: number;
}

export interface VirtualRows {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly items: readonly VirtualItem[];
  /** Height of all rows, in px. */
  readonly height: number;
  readonly scrollTo: (index: number) => void;
  /** Scrolls a row into view and focuses it. Rows carry their index as `data-index`. */
  readonly focusRow: (index: number) => void;
}

export function useVirtualRows(options: VirtualRowsOptions): VirtualRows {
  const { count, keyOf, rowHeight, active, overscan, headHeight = 0, padding = 0 } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: useCallback(() => scroller.current, []),
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    getItemKey: keyOf,
    overscan,
    scrollPaddingEnd: headHeight,
    paddingStart: padding,
    paddingEnd: padding,
    rangeExtractor: usePrintedRange(useCallback((range: Range) => withRow(defaultRangeExtractor(range), active), [active])),
  });
  // The virtualizer is one object for the list's life: this runs when the height of rows changes.
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  useKeptPlace(scroller, rowHeight, padding);
  useKeptFocus(scroller, active);
  const scrollTo = useCallback((index: number) => virtual.scrollToIndex(index), [virtual]);
  const focusRow = useCallback(
    (index: number) => {
      scrollTo(index);
      const row = rowAt(scroller.current, index);
      // At once, so that the next key is the row's; a row far away is rendered only now.
      if (row) row.focus({ preventScroll: true });
      else focusRendered(() => rowAt(scroller.current, index), { preventScroll: true });
    },
    [scrollTo],
  );
  return { scroller, items: virtual.getVirtualItems(), height: virtual.getTotalSize(), scrollTo, focusRow };
}

/** The top visible row stays there when all rows get another height. */
function useKeptPlace(scroller: RefObject<HTMLDivElement | null>, rowHeight: number, padding: number): void {
  const before = useRef(rowHeight);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && before.current !== rowHeight && element.scrollTop > padding)
      element.scrollTop = padding + ((element.scrollTop - padding) / before.current) * rowHeight;
    before.current = rowHeight;
  }, [scroller, rowHeight, padding]);
}

const rowAt = (scroller: Element | null, index: number) => scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`);

/** A focused row that is removed passes the focus to the then active one: otherwise keys would have no target. */
function useKeptFocus(scroller: RefObject<HTMLDivElement | null>, active: number): void {
  const focused = useRef<Element>(undefined);
  const latest = useRef(active);
  useEffect(() => {
    const element = scroller.current;
    const onFocus = ({ target }: FocusEvent) => {
      focused.current = (target as Element).closest('[data-index]') === null ? undefined : (target as Element);
      // Happens, for example, when a dialog closes and the row that opened it was removed.
      if (target === element) rowAt(element, latest.current)?.focus({ preventScroll: true });
    };
    // Blur also fires while the row is being removed, which shows only afterwards.
    const onBlur = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (focused.current === target && focused.current.isConnected && document.hasFocus()) focused.current = undefined;
      });
    element?.addEventListener('focusin', onFocus);
    element?.addEventListener('focusout', onBlur);
    return () => {
      element?.removeEventListener('focusin', onFocus);
      element?.removeEventListener('focusout', onBlur);
    };
  }, [scroller]);
  useLayoutEffect(() => {
    latest.current = active;
    if (focused.current === undefined || focused.current.isConnected) return;
    focused.current = undefined;
    if (document.activeElement !== document.body) return;
    (rowAt(scroller.current, active) ?? scroller.current)?.focus({ preventScroll: true });
  });
}

/** In their order, so that reading and Tab move from top to bottom. */
function withRow(indexes: readonly number[], row: number): number[] {
  if (row < 0 || indexes.includes(row)) return [...indexes];
  return [...indexes, row].sort((a, b) => a - b);
}
