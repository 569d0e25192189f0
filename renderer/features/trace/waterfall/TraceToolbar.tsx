// Toolbar of the waterfall: search, filters and arrangement. All of it is kept in the address.
import { CircleAlert, Search, SlidersHorizontal, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Popover } from '../../../ui/overlay/Popover.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import { Toolbar } from '../../../ui/table/Toolbar.tsx';
import type { Choices } from './rows.ts';
import type { SetTraceSearch, TraceSearch } from '../model/trace-search.ts';
import { TraceView } from './TraceView.tsx';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import type { ZoomSteps } from './use-zoom-steps.ts';

export interface TraceToolbarProps {
  readonly search: TraceSearch;
  readonly onChange: SetTraceSearch;
  readonly choices: Choices;
  readonly failed: number;
  readonly zoom: ZoomSteps;
  readonly aside: ReactNode;
}

export function TraceToolbar({ search, onChange, choices, failed, zoom, aside }: TraceToolbarProps) {
  const field = useFindKey('trace.search', 'Find in the trace');
  return (
    <Toolbar label="Trace" className="border-b border-border" aside={aside}>
      <div className="w-40">
        <Input
          ref={field}
          type="search"
          aria-label="Find in the trace"
          placeholder="Find"
          icon={<Search />}
          value={search.find}
          onChange={(event) => onChange({ find: event.target.value })}
        />
      </div>
      {choices.agents.length > 1 && (
        <Choice label="Agent" all="All agents" value={search.agent} values={choices.agents} onChange={(agent) => onChange({ agent })} />
      )}
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
        selected={new Set(search.failed ? ['failed'] : [])}
        onToggle={() => onChange({ failed: !search.failed })}
        chips={[{ id: 'failed', label: 'Failed only', icon: <CircleAlert />, count: failed }]}
      />
      <Popover
        label="View of the trace"
        trigger={
          <Button size="sm" icon={<SlidersHorizontal />}>
            View
          </Button>
        }
      >
        <div className="flex flex-col items-start gap-3">
          <TraceView search={search} onChange={onChange} />
          <Switch label="Critical path" checked={search.critical} onChange={(critical) => onChange({ critical })} />
          <Switch
            label="Fold idle time"
            checked={search.idle === 'folded'}
            onChange={(fold) => onChange({ idle: fold ? 'folded' : 'shown' })}
          />
        </div>
      </Popover>
      <div role="group" aria-label="Zoom" className="flex items-center">
        <IconButton size="sm" label="Zoom in on the row" shortcut="+" icon={<ZoomIn />} onClick={zoom.zoomIn} />
        {zoom.zoomOut && <IconButton size="sm" label="Zoom out" shortcut="-" icon={<ZoomOut />} onClick={zoom.zoomOut} />}
        {zoom.all && (
          <Button size="sm" variant="ghost" onClick={zoom.all}>
            See all
          </Button>
        )}
      </div>
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
