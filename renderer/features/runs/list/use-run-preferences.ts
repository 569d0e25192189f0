// Preferences of the run list: columns and their order.
import { useMemo } from 'react';
import { listPreference } from '../../../preferences/preferences.ts';
import { usePreference } from '../../../preferences/use-preferences.ts';
import { HIDDEN_AT_FIRST } from './run-columns.tsx';

/** Ids in the preferred order; unlisted ones follow in their own order. */
const COLUMNS = listPreference('runs.columns');
const HIDDEN = listPreference('runs.hidden', HIDDEN_AT_FIRST);

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
