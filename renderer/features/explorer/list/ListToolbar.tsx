// What narrows a list and what is shown of it.
import type { Resource } from '@svc/shared/resource';
import { Search } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { ColumnMenu } from '../../../ui/ColumnMenu.tsx';
import { FilterChips } from '../../../ui/FilterChips.tsx';
import { Input } from '../../../ui/Input.tsx';
import { LabelSelectorInput } from '../../../ui/LabelSelectorInput.tsx';
import { phaseLook } from '../../../ui/phases.ts';
import type { DataColumn } from '../../../ui/table-model.ts';
import { Toolbar } from '../../../ui/Toolbar.tsx';
import { labelSuggestions, selectsByPhase, type ListState } from './list-state.ts';
import type { ListCounts } from './use-objects.ts';

export interface ListToolbarProps {
  readonly kind: KindSummary;
  readonly state: ListState;
  readonly onChange: (change: Partial<ListState>) => void;
  readonly rows: readonly Resource[];
  readonly counts: ListCounts;
  readonly columns: readonly DataColumn<Resource>[];
  readonly hidden: ReadonlySet<string>;
  readonly onHidden: (hidden: ReadonlySet<string>) => void;
}

const TYPING_MS = 200;

export function ListToolbar({ kind, state, onChange, rows, counts, columns, hidden, onHidden }: ListToolbarProps) {
  const suggestions = useMemo(() => labelSuggestions(rows, state.labels), [rows, state.labels]);
  const togglePhase = (phase: string) =>
    onChange({ phase: state.phase.includes(phase) ? state.phase.filter((each) => each !== phase) : [...state.phase, phase] });
  return (
    <Toolbar label="Filters" aside={<ColumnMenu columns={columns} hidden={hidden} onChange={onHidden} />}>
      <NameInput value={state.q} onChange={(q) => onChange({ q })} />
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

interface NameInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Waits for a pause in the typing, so that each letter is not a question to the server. */
function NameInput({ value, onChange }: NameInputProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only what is typed starts the wait
  }, [text]);
  return (
    <div className="w-48">
      <Input
        icon={<Search />}
        aria-label="Name begins with"
        placeholder="Name begins with"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(text.trim());
          if (event.key === 'Escape') setText('');
        }}
      />
    </div>
  );
}
