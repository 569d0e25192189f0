// Selects all matches of a list, also those that are not loaded yet: a bounded number of them.
import { useEffect, useState } from 'react';
import type { ListPages } from '../../live/list-pages.ts';
import { toastInfo } from '../overlay/toast.ts';
import { formatNumber } from '../status/format.ts';
import type { TableSelection } from './table-model.ts';

/** More objects than that are a task for svcctl. */
const SELECTED_MAX = 2_000;
/** Objects that are read for it, where the browser filters them. */
const READ_MAX = 20_000;

export interface SelectAll {
  readonly label: string;
  readonly busy: boolean;
  readonly select: () => void;
}

export interface SelectAllOptions<Row> {
  readonly pages: Pick<ListPages<Row>, 'rows' | 'hasMore' | 'lookFurther' | 'loadingMore' | 'error' | 'loadMore'>;
  /** Number of loaded objects, shown or not. */
  readonly read: number;
  readonly keyOf: (row: Row) => string;
  readonly selection: TableSelection;
  /** Number of all matches; undefined while it is not known. */
  readonly total: number | undefined;
  /** Identity of the filters: with others, the rows are others than the person saw. */
  readonly filters: string;
}

/** Undefined where all matches are selected, or some of the loaded rows are not. */
export function useSelectAll<Row>({ pages, read, keyOf, selection, total, filters }: SelectAllOptions<Row>): SelectAll | undefined {
  const { rows, hasMore, lookFurther, loadingMore, error, loadMore } = pages;
  const { selected, onChange } = selection;
  const [wanted, setWanted] = useState<string>();
  const every = rows.length > 0 && rows.length < SELECTED_MAX && rows.every((row) => selected.has(keyOf(row)));
  const loads = wanted === filters && selected.size > 0 && error === null;
  const enough = rows.length >= SELECTED_MAX || read >= READ_MAX;
  const cut = hasMore || lookFurther !== undefined || rows.length > SELECTED_MAX;
  useEffect(() => {
    if (!loads) return setWanted(undefined);
    if (loadingMore) return;
    if (hasMore && !enough) return loadMore();
    setWanted(undefined);
    const taken = rows.slice(0, SELECTED_MAX);
    onChange(new Set(taken.map(keyOf)));
    if (cut) toastInfo(`The first ${formatNumber(taken.length)} matches are selected. Act on them, then select the next.`);
  }, [loads, loadingMore, hasMore, enough, cut, loadMore, rows, keyOf, onChange]);
  if (!loads && (!every || !hasMore)) return undefined;
  return { label: labelOf(total), busy: loads, select: () => setWanted(filters) };
}

function labelOf(total: number | undefined): string {
  if (total === undefined) return 'Select all matching';
  if (total <= SELECTED_MAX) return `Select all ${formatNumber(total)} matching`;
  return `Select the first ${formatNumber(SELECTED_MAX)} of ${formatNumber(total)} matching`;
}
