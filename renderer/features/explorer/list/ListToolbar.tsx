// Filters and columns of a list.
import type { Resource } from '@svc/shared/resource';
import { useCallback, useMemo } from 'react';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { ColumnMenu } from '../../../ui/table/ColumnMenu.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { LabelSelectorInput } from '../../../ui/input/LabelSelectorInput.tsx';
import { NameSearch } from '../../../ui/table/NameSearch.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import type { DataColumn } from '../../../ui/table/table-model.ts';
import { Toolbar } from '../../../ui/table/Toolbar.tsx';
import { labelSuggestions, selectsByPhase, selectsBySystem, type ListState } from './list-state.ts';
import { SystemFilter } from '../../runs/parts/SystemFilter.tsx';
import { ListViews } from './ListViews.tsx';
import type { ListCounts } from './use-objects.ts';

export interface ListToolbarProps {
  readonly kind: KindSummary;
  readonly state: ListState;
  readonly namespace: string | undefined;
  readonly onChange: (change: Partial<ListState>) => void;
  readonly rows: readonly Resource[];
  readonly counts: ListCounts;
  readonly columns: readonly DataColumn<Resource>[];
  readonly hidden: ReadonlySet<string>;
  readonly onHidden: (hidden: ReadonlySet<string>) => void;
}

export function ListToolbar({ kind, state, namespace, onChange, rows, counts, columns, hidden, onHidden }: ListToolbarProps) {
  const suggestions = useMemo(() => labelSuggestions(rows, state.labels), [rows, state.labels]);
  const togglePhase = (phase: string) =>
    onChange({ phase: state.phase.includes(phase) ? state.phase.filter((each) => each !== phase) : [...state.phase, phase] });
  const search = useCallback((q: string) => onChange({ q }), [onChange]);
  const field = useFindKey('list.search', 'Search by name');
  return (
    <Toolbar
      label="Filters"
      aside={
        <>
          <ListViews kind={kind} state={state} onChange={onChange} />
          <ColumnMenu columns={columns} hidden={hidden} onChange={onHidden} />
        </>
      }
    >
      <NameSearch ref={field} value={state.q} onChange={search} />
      {selectsBySystem(kind) && <SystemFilter value={state.system} namespace={namespace} onChange={(system) => onChange({ system })} />}
      <LabelSelectorInput value={state.labels} onChange={(labels) => onChange({ labels })} suggestions={suggestions} />
      {selectsByPhase(kind) && (
        <FilterChips
          label="States"
          chips={kind.phases.map((phase) => ({
            id: phase,
            label: phaseLook(phase, kind.kind).label,
            count: counts.phases.get(phase)?.count,
          }))}
          selected={new Set(state.phase)}
          onToggle={togglePhase}
        />
      )}
    </Toolbar>
  );
}
