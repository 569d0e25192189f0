// Toolbar of the waterfall: search, filters and detail. All of it is kept in the address.
import { CircleAlert, Hourglass, Route, Search, ZoomOut } from 'lucide-react';
import { Button } from '../../../ui/Button.tsx';
import { FilterChips } from '../../../ui/FilterChips.tsx';
import { Input } from '../../../ui/Input.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Toolbar } from '../../../ui/Toolbar.tsx';
import type { Choices } from './rows.ts';
import type { SetTraceSearch, TraceSearch } from '../model/trace-search.ts';

export interface TraceToolbarProps {
  readonly search: TraceSearch;
  readonly onChange: SetTraceSearch;
  readonly choices: Choices;
  readonly failed: number;
  readonly onZoomOut: (() => void) | undefined;
}

export function TraceToolbar({ search, onChange, choices, failed, onZoomOut }: TraceToolbarProps) {
  const on = new Set([
    ...(search.failed ? ['failed'] : []),
    ...(search.critical ? ['critical'] : []),
    ...(search.idle === 'folded' ? ['idle'] : []),
  ]);
  const toggle = (id: string) => {
    if (id === 'failed') onChange({ failed: !search.failed });
    else if (id === 'critical') onChange({ critical: !search.critical });
    else onChange({ idle: search.idle === 'folded' ? 'shown' : 'folded' });
  };
  return (
    <Toolbar label="Trace" className="border-b border-border">
      <div className="w-40">
        <Input
          type="search"
          aria-label="Find in the trace"
          placeholder="Find"
          icon={<Search />}
          value={search.find}
          onChange={(event) => onChange({ find: event.target.value })}
        />
      </div>
      <Choice label="Agent" all="All agents" value={search.agent} values={choices.agents} onChange={(agent) => onChange({ agent })} />
      {choices.tools.length > 0 && (
        <Choice label="Tool" all="All tools" value={search.tool} values={choices.tools} onChange={(tool) => onChange({ tool })} />
      )}
      {choices.branches.length > 1 && (
        <Choice
          label="Branch"
          all="All branches"
          value={search.branch}
          values={choices.branches}
          onChange={(branch) => onChange({ branch })}
        />
      )}
      <FilterChips
        label="Show"
        selected={on}
        onToggle={toggle}
        chips={[
          { id: 'failed', label: 'Failed only', icon: <CircleAlert />, count: failed },
          { id: 'critical', label: 'Critical path', icon: <Route /> },
          { id: 'idle', label: 'Fold idle time', icon: <Hourglass /> },
        ]}
      />
      {onZoomOut && (
        <Button size="sm" variant="ghost" icon={<ZoomOut />} onClick={onZoomOut}>
          See all
        </Button>
      )}
    </Toolbar>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value, values, onChange }: ChoiceProps) {
  const known = value === '' || values.includes(value) ? values : [value, ...values];
  const options = [{ value: '', label: all }, ...known.map((each) => ({ value: each, label: each }))];
  return <Select aria-label={label} value={value} options={options} onChange={onChange} className="w-32" />;
}
