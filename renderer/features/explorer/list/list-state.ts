// Search parameters of a kind's list, and the request to the server that follows. Pure.
import { sortedPaths } from '@svc/shared/kinds/column-sorts';
import type { Resource } from '@svc/shared/resource';
import { listParam, textParam, typedParam, type SearchState } from '../../../navigation/search-state.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { labelProblem } from '../label-change.ts';
import type { TableSort } from '../../../ui/table/table-model.ts';
import { fieldSelectorOf, type ListInput } from '../../../live/list-selectors.ts';

export const LIST_PARAMS = {
  phase: listParam,
  labels: textParam,
  system: textParam,
  /** Part of a name. */
  q: typedParam,
  /** One of the orders of the kind, with a minus for the reverse; by name without it. */
  sort: textParam,
};

export type ListState = SearchState<typeof LIST_PARAMS>;

export const NO_FILTERS = { phase: [], labels: '', system: '', q: '' } as const satisfies Partial<ListState>;

const PAGE_SIZE = 200;

type KindPhases = Pick<KindSummary, 'phases' | 'fieldSelectors'>;

/** Whether the server can select the kind's objects by phase. */
export function selectsByPhase({ phases, fieldSelectors }: KindPhases): boolean {
  return phases.length > 1 && fieldSelectors.includes('status.phase');
}

/** Whether the server can select the kind's objects by their agent system. */
export function selectsBySystem({ fieldSelectors }: Pick<KindSummary, 'fieldSelectors'>): boolean {
  return fieldSelectors.includes('spec.system');
}

/** Restricts a list by the server's own selectors. */
export function selectionOf(kind: KindSummary, state: Pick<ListState, 'phase' | 'labels' | 'system'>, namespace: string | undefined) {
  const fieldSelector = fieldSelectorOf(selectsByPhase(kind) ? kind.phases : [], {
    phase: state.phase,
    system: selectsBySystem(kind) ? state.system : '',
  });
  return {
    kind: kind.kind,
    ...(namespace !== undefined && { namespace }),
    ...(state.labels !== '' && { labelSelector: state.labels }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

export function listInput(kind: KindSummary, state: ListState, namespace: string | undefined): ListInput {
  const { q } = state;
  return { ...selectionOf(kind, state, namespace), ...(q !== '' && { nameContains: q }), order: orderOf(kind, state), limit: PAGE_SIZE };
}

/** Order of the server. A search by name is sorted by name or by age only, and an order that the kind does not have is that by name. */
function orderOf({ columns }: Pick<KindSummary, 'columns'>, { sort, q }: Pick<ListState, 'sort' | 'q'>): string {
  const names = ['name', 'createdAt', ...(q === '' ? sortedPaths(columns) : [])];
  return names.includes(sort.replace(/^-/, '')) ? sort : 'name';
}

/** Order of the rows as column and direction; the least age is the newest. */
export function shownSort(kind: Pick<KindSummary, 'columns'>, state: Pick<ListState, 'sort' | 'q'>): TableSort {
  const order = orderOf(kind, state);
  const column = order.replace(/^-/, '');
  const descending = order.startsWith('-');
  if (column === 'createdAt') return { column: 'age', direction: descending ? 'asc' : 'desc' };
  return { column, direction: descending ? 'desc' : 'asc' };
}

/** The parameter for an order of the rows. */
export function sortParam({ column, direction }: TableSort): string {
  if (column === 'age') return direction === 'asc' ? '-createdAt' : 'createdAt';
  const order = direction === 'asc' ? column : `-${column}`;
  return order === 'name' ? '' : order;
}

export function isFiltered({ phase, labels, system, q }: ListState): boolean {
  return phase.length > 0 || labels !== '' || system !== '' || q !== '';
}

const SUGGESTED_MAX = 200;

/** Selectors seen on the loaded objects, each a clause to add to the current one. */
export function labelSuggestions(resources: readonly Resource[], selector: string): string[] {
  const clauses = new Set<string>();
  for (const { metadata } of resources) {
    for (const [key, value] of Object.entries(metadata.labels)) {
      if (labelProblem(`${key}=`) === undefined) clauses.add(key);
      if (labelProblem(`${key}=${value}`) === undefined) clauses.add(`${key}=${value}`);
    }
    if (clauses.size > SUGGESTED_MAX) break;
  }
  const taken = new Set(selector.split(','));
  const fresh = [...clauses].filter((clause) => !taken.has(clause)).sort();
  return selector === '' ? fresh : fresh.map((clause) => `${selector},${clause}`);
}

/** The selector with one more label. */
export function withLabel(selector: string, key: string, value: string): string {
  const clause = `${key}=${value}`;
  if (selector.split(',').includes(clause)) return selector;
  return selector === '' ? clause : `${selector},${clause}`;
}
