// Print of virtual lists: while the page is printed, they render all loaded rows up to a limit, and name what is left out.
import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { useCallback, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../status/format.ts';

/** About 50 pages; a browser renders more rows only after many seconds. */
const PRINT_ROWS_MAX = 2_000;

/** Attribute of the element around the rows: theme.css puts them one below the other in print. */
export const PRINTED_ROWS = { 'data-printed-rows': '' };

let printing = false;

function subscribe(listener: () => void): () => void {
  // The browser takes the page as it is after this event.
  const change = ({ type }: Event) => {
    printing = type === 'beforeprint';
    flushSync(listener);
  };
  window.addEventListener('beforeprint', change);
  window.addEventListener('afterprint', change);
  return () => {
    window.removeEventListener('beforeprint', change);
    window.removeEventListener('afterprint', change);
  };
}

const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => printing);

/** Range extractor of a virtual list: visible rows by `extract`, and all up to the limit while the page is printed. */
export function usePrintedRange(extract: (range: Range) => number[] = defaultRangeExtractor): (range: Range) => number[] {
  const all = usePrinting();
  return useCallback(
    (range: Range) => (all ? Array.from({ length: Math.min(range.count, PRINT_ROWS_MAX) }, (_, index) => index) : extract(range)),
    [all, extract],
  );
}

export interface PrintedPartProps {
  /** Number of loaded rows. */
  readonly loaded: number;
  /** Number of all rows where it is known; `loaded` for a list that is loaded as a whole. */
  readonly total: number | undefined;
}

/** Says in print how many rows are left out. */
export function PrintedPart({ loaded, total }: PrintedPartProps) {
  const printed = Math.min(loaded, PRINT_ROWS_MAX);
  if (!usePrinting() || printed === total || printed === 0) return null;
  return (
    <p className="px-3 py-2 text-sm text-muted">
      {total === undefined
        ? `The first ${formatNumber(printed)} rows are printed. There are more.`
        : `The first ${formatNumber(printed)} of ${formatNumber(total)} rows are printed.`}
    </p>
  );
}
