// Filters by values that columns of the list show, for keys and for hidden columns: reason, worker, priority.
import { ListFilter } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Popover } from '../../../ui/overlay/Popover.tsx';
import type { RunListState } from './run-list-input.ts';
import type { ValueChoices } from './use-runs.ts';

export interface MoreFiltersProps {
  readonly state: RunListState;
  readonly choices: ValueChoices;
  readonly onChange: (change: Partial<RunListState>) => void;
}

const FILTERS = [
  { key: 'reason', label: 'Reason', all: 'Any reason' },
  { key: 'worker', label: 'Worker', all: 'Any worker' },
  { key: 'priority', label: 'Priority', all: 'Any priority' },
] as const;

export function MoreFilters({ state, choices, onChange }: MoreFiltersProps) {
  return (
    <Popover
      label="More filters"
      trigger={
        <Button size="sm" variant="ghost" icon={<ListFilter />}>
          More filters
        </Button>
      }
    >
      <div className="flex w-56 flex-col gap-3">
        {FILTERS.map(({ key, label, all }) => {
          const value = state[key];
          const values = value === '' || choices[key].includes(value) ? choices[key] : [value, ...choices[key]];
          return (
            <Field key={key} label={label}>
              <Select
                value={value}
                options={[{ value: '', label: all }, ...values.map((each) => ({ value: each, label: each }))]}
                onChange={(next) => onChange({ [key]: next })}
              />
            </Field>
          );
        })}
      </div>
    </Popover>
  );
}
