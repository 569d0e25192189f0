// Orders of the run list: columns of the table, and the orders of the server. Pure.
import type { TableSort } from '../../../ui/table/table-model.ts';
import type { RunListState } from './run-list-input.ts';

type Order = RunListState['sort'];

/** Columns whose order has another name; ages ascend from the youngest run. */
const ORDERS: Readonly<Record<string, { readonly asc: Order; readonly desc: Order }>> = {
  age: { asc: '-createdAt', desc: 'createdAt' },
  ended: { asc: '-completedAt', desc: 'completedAt' },
};

export function orderOf({ column, direction }: TableSort): Order {
  return ORDERS[column]?.[direction] ?? ((direction === 'asc' ? column : `-${column}`) as Order);
}

/** Column and direction of the rows: a search is newest first. */
export function sortOf({ sort, q }: Pick<RunListState, 'sort' | 'q'>): TableSort {
  if (q !== '') return { column: 'age', direction: 'asc' };
  for (const [column, { asc, desc }] of Object.entries(ORDERS)) {
    if (sort === asc) return { column, direction: 'asc' };
    if (sort === desc) return { column, direction: 'desc' };
  }
  return sort.startsWith('-') ? { column: sort.slice(1), direction: 'desc' } : { column: sort, direction: 'asc' };
}
