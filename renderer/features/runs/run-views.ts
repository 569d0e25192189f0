// Views of the run list: the ones everybody has, and those a person keeps. A view is a set of filters by name. Pure.
import { NO_FILTERS, type RunListState } from './run-list-input.ts';

export type RunFilters = Pick<RunListState, keyof typeof NO_FILTERS>;

export interface RunView {
  readonly id: string;
  readonly name: string;
  readonly filters: RunFilters;
}

const view = (id: string, name: string, filters: Partial<RunFilters>): RunView => ({ id, name, filters: { ...NO_FILTERS, ...filters } });

export const SYSTEM_VIEWS: readonly RunView[] = [
  view('all', 'All runs', {}),
  view('long', 'Running longer than 1 h', { phase: ['Running'], lasting: '1h' }),
  view('waiting', 'Waiting for approval', { phase: ['WaitingApproval'] }),
  view('dead', 'Dead letter', { phase: ['DeadLetter'] }),
  view('failed-today', 'Failed today', { phase: ['Failed', 'DeadLetter'], ended: 'today' }),
];

const FILTER_KEYS = Object.keys(NO_FILTERS) as (keyof RunFilters)[];

/** The part of a page's state that a view keeps. */
export function filtersOf(state: RunListState): RunFilters {
  return Object.fromEntries(FILTER_KEYS.map((key) => [key, state[key]])) as unknown as RunFilters;
}

function same(a: RunFilters, b: RunFilters): boolean {
  const text = (filters: RunFilters) =>
    JSON.stringify(FILTER_KEYS.map((key) => (key === 'phase' ? [...filters.phase].sort() : filters[key])));
  return text(a) === text(b);
}

/** The view that says what the page shows, if one does. */
export function viewOf(state: RunListState, views: readonly RunView[]): RunView | undefined {
  const filters = filtersOf(state);
  return views.find((each) => same(each.filters, filters));
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

/** Views out of a person's preferences; what makes no sense is left out. */
export function readViews(value: unknown): RunView[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { name, filters } = (each ?? {}) as { name?: unknown; filters?: Record<string, unknown> };
    if (typeof name !== 'string' || name === '' || typeof filters !== 'object') return [];
    const read = FILTER_KEYS.map((key) => [
      key,
      key === 'phase' ? texts(filters[key]) : typeof filters[key] === 'string' ? filters[key] : '',
    ]);
    const whole: unknown = Object.fromEntries(read);
    return [{ id: `mine:${name}`, name, filters: whole as RunFilters }];
  });
}
