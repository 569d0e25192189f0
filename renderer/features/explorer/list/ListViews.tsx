// Views of a kind's list: all, those in error, and personal ones.
import { useMemo } from 'react';
import { filtersOf, useSavedViews, viewOf, viewsPreference, type SavedView } from '../../../preferences/saved-views.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { phaseLook } from '../../../ui/status/phases.ts';
import { ViewsButton } from '../../../ui/table/ViewsButton.tsx';
import { kindWord } from '../object-text.ts';
import { NO_FILTERS, selectsByPhase, type ListState } from './list-state.ts';

type ListFilters = Pick<ListState, keyof typeof NO_FILTERS>;

const NONE: ListFilters = NO_FILTERS;
const ERROR = 'Error';

function sharedViews(kind: KindSummary): readonly SavedView<ListFilters>[] {
  const all = { id: 'all', name: `All ${kindWord(kind.kind, 2)}`, filters: NONE };
  if (!selectsByPhase(kind) || !kind.phases.includes(ERROR)) return [all];
  return [all, { id: 'error', name: phaseLook(ERROR, kind.kind).label, filters: { ...NONE, phase: [ERROR] } }];
}

export interface ListViewsProps {
  readonly kind: KindSummary;
  readonly state: ListState;
  readonly onChange: (change: Partial<ListState>) => void;
}

export function ListViews({ kind, state, onChange }: ListViewsProps) {
  const preference = useMemo(() => viewsPreference(`tables.${kind.plural}.views`), [kind]);
  const { views, save, remove } = useSavedViews(preference, NONE);
  const shared = useMemo(() => sharedViews(kind), [kind]);
  return (
    <ViewsButton
      shared={shared}
      mine={views}
      current={viewOf(state, NONE, [...shared, ...views])}
      onChoose={({ filters }) => onChange(filters)}
      onSave={(name) => save(name, filtersOf(state, NONE))}
      onRemove={({ id }) => remove(id)}
    />
  );
}
