// Selects all rows of a list, also those that are not loaded yet.
import type { Resource } from '@svc/shared/resource';
import { useEffect, useState } from 'react';
import type { ListPages } from '../../../live/list-pages.ts';
import type { TableSelection } from '../../../ui/table/table-model.ts';
import { keyText } from '../object-traits.ts';
import type { SelectAll } from './SelectionBar.tsx';

/** More objects than that are a task for svcctl. */
const SELECTED_MAX = 2_000;

export interface SelectAllOptions {
  readonly pages: ListPages<Resource>;
  readonly selection: TableSelection;
  /** Number of all matches; undefined while it is not known. */
  readonly total: number | undefined;
  /** Identity of the filters: with others, the rows are others than the person saw. */
  readonly filters: string;
}

export function useSelectAll({ pages, selection, total, filters }: SelectAllOptions): SelectAll | undefined {
  const { rows, hasMore, loadingMore, error, loadMore } = pages;
  const { selected, onChange } = selection;
  const [wanted, setWanted] = useState<string>();
  const every = rows.length > 0 && rows.every((row) => selected.has(keyText(row)));
  const loads = wanted === filters && selected.size > 0 && error === null;
  useEffect(() => {
    if (!loads) return setWanted(undefined);
    if (loadingMore) return;
    if (hasMore) return loadMore();
    setWanted(undefined);
    onChange(new Set(rows.map(keyText)));
  }, [loads, loadingMore, hasMore, loadMore, rows, onChange]);
  if (!loads && (!every || !hasMore)) return undefined;
  if (total === undefined || total > SELECTED_MAX) return undefined;
  return { count: total, busy: loads, select: () => setWanted(filters) };
}
