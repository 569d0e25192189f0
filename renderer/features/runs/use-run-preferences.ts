// What a person keeps of the run list: columns and their order, views of their own.
import type { Json } from '@svc/shared/json';
import { useMemo } from 'react';
import { listPreference, type Preference } from '../../app/preferences.ts';
import { usePreference } from '../../app/use-preferences.ts';
import { HIDDEN_AT_FIRST } from './run-columns.tsx';
import { readViews, type RunView } from './run-views.ts';

/** Ids in the order wanted; those it does not name follow in their own order. */
const COLUMNS = listPreference('runs.columns');
const HIDDEN = listPreference('runs.hidden', HIDDEN_AT_FIRST);
const VIEWS: Preference<Json> = { key: 'runs.views', read: (stored) => stored ?? [] };

export function useRunColumnPreferences() {
  const [order, setOrder] = usePreference(COLUMNS);
  const [hidden, setHidden] = usePreference(HIDDEN);
  return {
    order,
    hidden: useMemo(() => new Set<string>(hidden), [hidden]),
    change: ({ columns, hidden: next }: { readonly columns?: readonly string[]; readonly hidden?: readonly string[] }) => {
      if (columns) setOrder([...columns]);
      if (next) setHidden([...next]);
    },
    reset: () => {
      setOrder([]);
      setHidden([...HIDDEN_AT_FIRST]);
    },
  };
}

export function useRunViews() {
  const [stored, setStored] = usePreference(VIEWS);
  const views = useMemo(() => readViews(stored), [stored]);
  const keep = (next: readonly RunView[]) =>
    setStored(next.map(({ name, filters }) => ({ name, filters: { ...filters, phase: [...filters.phase] } })));
  return {
    views,
    save: (view: Pick<RunView, 'name' | 'filters'>) =>
      keep([...views.filter(({ name }) => name !== view.name), { id: `mine:${view.name}`, ...view }]),
    remove: (view: RunView) => keep(views.filter(({ id }) => id !== view.id)),
  };
}
