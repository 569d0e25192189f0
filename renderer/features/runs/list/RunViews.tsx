// The views of the run list.
import { filtersOf, useSavedViews, viewOf, viewsPreference } from '../../../preferences/saved-views.ts';
import { ViewsButton } from '../../../ui/table/ViewsButton.tsx';
import { NO_FILTERS, type RunListState } from './run-list-input.ts';
import { SYSTEM_VIEWS, type RunFilters } from './run-views.ts';

const VIEWS = viewsPreference('runs.views');
const NONE: RunFilters = NO_FILTERS;

export interface RunViewsProps {
  readonly state: RunListState;
  readonly onChoose: (filters: RunFilters) => void;
}

export function RunViews({ state, onChoose }: RunViewsProps) {
  const { views, save, remove } = useSavedViews(VIEWS, NONE);
  return (
    <ViewsButton
      shared={SYSTEM_VIEWS}
      mine={views}
      current={viewOf(state, NONE, [...SYSTEM_VIEWS, ...views])}
      onChoose={({ filters }) => onChoose(filters)}
      onSave={(name) => save(name, filtersOf(state, NONE))}
      onRemove={({ id }) => remove(id)}
    />
  );
}
