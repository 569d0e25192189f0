// Filters of the run list, each with a parameter of the address.
import { SEARCH_CHARS_MAX } from '@svc/shared/search-text';
import { useCallback, type ReactNode } from 'react';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import { Chip } from '../../../ui/status/Chip.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { LabelSelectorInput } from '../../../ui/input/LabelSelectorInput.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { SearchField } from '../../../ui/input/SearchField.tsx';
import { Toolbar } from '../../../ui/table/Toolbar.tsx';
import { RUN_OUTCOMES } from '../model/run-outcomes.ts';
import { SystemFilter } from '../parts/SystemFilter.tsx';
import { MoreFilters } from './MoreFilters.tsx';
import { filtersHere, type RunListState } from './run-list-input.ts';
import { filterSuggestions, takeFilters } from './typed-filters.ts';
import type { PhaseCount, ValueChoices } from './use-runs.ts';

export interface RunsToolbarProps {
  readonly state: RunListState;
  readonly namespace: string | undefined;
  readonly counts: readonly PhaseCount[] | undefined;
  readonly choices: ValueChoices;
  readonly onChange: (change: Partial<RunListState>) => void;
  readonly aside: ReactNode;
}

export function RunsToolbar({ state, namespace, counts, choices, onChange, aside }: RunsToolbarProps) {
  // Counts of the server ignore filters that only the browser applies, so no count is shown then.
  const known = filtersHere(state) ? undefined : counts;
  const toggle = (phase: string) =>
    onChange({ phase: state.phase.includes(phase) ? state.phase.filter((each) => each !== phase) : [...state.phase, phase] });
  const search = useCallback((q: string) => onChange({ q }), [onChange]);
  const take = (text: string, final: boolean) => {
    const { rest, change } = takeFilters(text, state, final);
    if (Object.keys(change).length > 0) onChange(change);
    return rest;
  };
  const field = useFindKey('runs.search', 'Search runs');
  return (
    <div className="flex flex-col">
      <Toolbar label="Filters" aside={aside}>
        <SearchField
          ref={field}
          label="Search runs"
          placeholder="Search name, input, output, error"
          value={state.q}
          onChange={search}
          take={take}
          suggestionsOf={(text) => filterSuggestions(text, choices)}
          maxLength={SEARCH_CHARS_MAX}
          title="All words must be in the run; the last one may be the beginning of a word. Newest first. Filters can be typed: state:failed system:NAME label:team=ops."
          className="w-72"
        />
        <SystemFilter value={state.system} namespace={namespace} onChange={(system) => onChange({ system })} />
        <LabelSelectorInput value={state.labels} onChange={(labels) => onChange({ labels })} />
      </Toolbar>
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        {/* Templates do not run: they have no states. */}
        {(state.mode !== 'templates' || state.phase.length > 0) && (
          <FilterChips
            label="States"
            className="max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:[scrollbar-width:none]"
            selected={new Set(state.phase)}
            onToggle={toggle}
            chips={RUN_OUTCOMES.map((phase, index) => ({ id: phase, label: phaseLook(phase).label, count: known?.[index]?.count }))}
          />
        )}
        <MoreFilters state={state} choices={choices} onChange={onChange} />
        <LocalFilters state={state} onChange={onChange} />
      </div>
    </div>
  );
}

/** Filters from a cell or a view, each with a button to remove it. */
function LocalFilters({ state, onChange }: { readonly state: RunListState; readonly onChange: (change: Partial<RunListState>) => void }) {
  const all: readonly { readonly key: keyof RunListState; readonly words: string; readonly on: boolean }[] = [
    { key: 'reason', words: `reason ${state.reason}`, on: state.reason !== '' },
    { key: 'worker', words: `worker ${state.worker}`, on: state.worker !== '' },
    { key: 'priority', words: `priority ${state.priority}`, on: state.priority !== '' },
    { key: 'trial', words: state.trial === 'only' ? 'trials only' : 'without trials', on: state.trial !== '' },
    { key: 'lasting', words: 'longer than 1 h', on: state.lasting !== '' },
    { key: 'ended', words: 'ended today', on: state.ended !== '' },
  ];
  return all
    .filter(({ on }) => on)
    .map(({ key, words }) => (
      <Chip key={key} removeLabel={`Remove the filter ${words}`} onRemove={() => onChange({ [key]: '' })}>
        {words}
      </Chip>
    ));
}
