// A page's own part of the address: filters, tab, selection. Each page defines how its parameters are read; the address is the state.
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';
import { bare, useOwnLocation, useOwnPath } from './own-location.ts';
import { stringifySearch, type SearchValues } from './search-text.ts';

/** Reader and writer of one parameter. `read` is total: an invalid value is the default, never an error. */
export interface SearchParam<Value> {
  readonly read: (values: readonly string[]) => Value;
  /** The texts in the address; none when the value is the default, which keeps addresses short. */
  // A method, so that parameters of different types fit into one record.
  write(value: Value): readonly string[];
  /** See `panelParam`. */
  readonly opensPanel?: boolean;
  /** Its changes are keys of one text: see `useFilterState`. */
  readonly isTyped?: boolean;
}

/** Parameter of the object in the inspector, on every page. */
export const PEEK = 'peek';

export const textParam: SearchParam<string> = { read: ([first]) => first ?? '', write: (value) => (value === '' ? [] : [value]) };

/** A text of a search field, applied while it is typed. */
export const typedParam: SearchParam<string> = { ...textParam, isTyped: true };

export const listParam: SearchParam<readonly string[]> = { read: (values) => values, write: (values) => values };

export const flagParam: SearchParam<boolean> = { read: ([first]) => first === 'true', write: (value) => (value ? ['true'] : []) };

/** One of a few words; any other text reads as the first of them. */
export function choiceParam<const Choice extends string>(choices: readonly [Choice, ...Choice[]]): SearchParam<Choice> {
  return {
    read: ([first]) => choices.find((choice) => choice === first) ?? choices[0],
    write: (value) => (value === choices[0] ? [] : [value]),
  };
}

export function numberParam(fallback: number): SearchParam<number> {
  return {
    read: ([first]) => (first !== undefined && first !== '' && Number.isFinite(Number(first)) ? Number(first) : fallback),
    write: (value) => (value === fallback ? [] : [String(value)]),
  };
}

/** A parameter that shows a panel at the right of its page. Only one panel is visible there, so setting it closes the inspector. */
export function panelParam<Value>(param: SearchParam<Value>): SearchParam<Value> {
  return { ...param, opensPanel: true };
}

type Params = Readonly<Record<string, SearchParam<unknown>>>;
export type SearchState<P> = { readonly [K in keyof P]: P[K] extends SearchParam<infer Value> ? Value : never };

const texts = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** The query as this page reads it. Pure. */
export function readSearch<P extends Record<string, SearchParam<unknown>>>(params: P, values: SearchValues): SearchState<P> {
  return Object.fromEntries(
    Object.entries(params as Params).map(([key, param]) => [key, param.read(texts(values[key]))]),
  ) as SearchState<P>;
}

/** The query with this page's changes in it; other parameters stay. Pure. */
export function writeSearch<P extends Record<string, SearchParam<unknown>>>(
  params: P,
  values: SearchValues,
  change: Partial<SearchState<P>>,
): SearchValues {
  const next: Record<string, string | readonly string[]> = { ...values };
  for (const [key, value] of Object.entries(change)) {
    const param = (params as Params)[key];
    const written = param?.write(value) ?? [];
    if (param?.opensPanel === true && written.length > 0) delete next[PEEK];
    if (written.length === 0) delete next[key];
    else next[key] = written.length === 1 ? (written[0] ?? '') : written;
  }
  return next;
}

/**
 * `[state, set]` for the parameters given. Define `params` outside of the component: its identity matters. `set` replaces the entry of the
 * history; with `{ push: true }` it adds one, for changes that Back should undo (tabs, opened items). During a navigation the address
 * already belongs to the next page: the old page keeps its state and sets nothing. In the shell around all pages it is the newest
 * address.
 */
export function useSearchState<P extends Record<string, SearchParam<unknown>>>(params: P) {
  const router = useRouter();
  const own = useOwnPath();
  const values = useOwnLocation().search as SearchValues;
  const navigate = useNavigate();
  const state = useMemo(() => readSearch(params, values), [params, values]);
  const set = useCallback(
    (change: Partial<SearchState<P>>, options?: { readonly push?: boolean }) => {
      if (own !== undefined && bare(router.latestLocation.pathname) !== own) return;
      const search = (before: unknown) => writeSearch(params, before as SearchValues, change);
      void navigate({ to: '.', search, replace: options?.push !== true, resetScroll: false } as Parameters<typeof navigate>[0]);
    },
    [params, navigate, router, own],
  );
  return [state, set] as const;
}

/** As `useSearchState`, for the sort, filters and search of a list: Back returns to the former ones. What is typed into one field is one step. The last member adds none. */
export function useFilterState<P extends Record<string, SearchParam<unknown>>>(params: P) {
  const router = useRouter();
  const [state, set] = useSearchState(params);
  /** The typed parameter, and the place in the history of the entry that holds it. */
  const typed = useRef<{ readonly key: string; readonly at: number }>(undefined);
  const change = useCallback(
    (next: Partial<SearchState<P>>) => {
      const before = router.latestLocation.search as SearchValues;
      if (stringifySearch(writeSearch(params, before, next)) === stringifySearch(before)) return;
      const [key = '', ...others] = Object.keys(next);
      const isTyped = others.length === 0 && (params as Params)[key]?.isTyped === true;
      const at = router.latestLocation.state.__TSR_index;
      const goesOn = isTyped && typed.current?.key === key && typed.current.at === at;
      typed.current = isTyped ? { key, at: goesOn ? at : at + 1 } : undefined;
      set(next, { push: !goesOn });
    },
    [params, router, set],
  );
  return [state, change, set] as const;
}
