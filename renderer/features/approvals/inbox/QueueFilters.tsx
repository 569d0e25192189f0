// Filters of the queue, each with the count of approvals that it would show.
import { FileSearch, Search, Wrench } from 'lucide-react';
import { FilterChips, type FilterChip } from '../../../ui/table/FilterChips.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import { Select } from '../../../ui/input/Select.tsx';
import { GROUPINGS, type countsOf, type Grouping } from './queue.ts';

export interface QueueFiltersProps {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly risks: readonly string[];
  readonly grouping: Grouping;
  /** Undefined while the queue is not known. */
  readonly counts: ReturnType<typeof countsOf> | undefined;
  readonly onChange: (change: {
    readonly q?: string;
    readonly kind?: readonly string[];
    readonly risk?: readonly string[];
    readonly group?: Grouping;
  }) => void;
}

const GROUP_LABELS: Readonly<Record<Grouping, string>> = {
  none: 'By expiry',
  system: 'By system',
  task: 'By run',
  tool: 'By tool',
};
const RISKS = ['critical', 'high', 'medium', 'low', 'unknown'];

const toggled = (list: readonly string[], id: string) => (list.includes(id) ? list.filter((each) => each !== id) : [...list, id]);

export function QueueFilters({ text, kinds, risks, grouping, counts, onChange }: QueueFiltersProps) {
  const field = useFindKey('approvals.search', 'Find in the queue');
  const kindChips: FilterChip[] = [
    { id: 'ToolApproval', label: 'Calls', icon: <Wrench />, count: counts?.byKind.get('ToolApproval') },
    { id: 'TaskApproval', label: 'Reviews', icon: <FileSearch />, count: counts?.byKind.get('TaskApproval') },
  ];
  const riskChips = RISKS.filter((risk) => counts?.byRisk.has(risk) === true || risks.includes(risk)).map((risk): FilterChip => ({
    id: risk,
    label: risk,
    count: counts && (counts.byRisk.get(risk) ?? 0),
  }));
  return (
    <div role="search" aria-label="Filter approvals" className="flex flex-col gap-2 border-b border-border p-3">
      <div className="flex gap-2">
        <Input
          ref={field}
          type="search"
          icon={<Search />}
          aria-label="Find in the queue"
          placeholder="Find…"
          value={text}
          onChange={(event) => onChange({ q: event.target.value })}
        />
        <Select
          aria-label="Grouping"
          className="w-32 shrink-0"
          value={grouping}
          options={GROUPINGS.map((value) => ({ value, label: GROUP_LABELS[value] }))}
          onChange={(value) => onChange({ group: value as Grouping })}
        />
      </div>
      <div className="flex flex-wrap gap-1">
        <FilterChips label="Kind" chips={kindChips} selected={new Set(kinds)} onToggle={(id) => onChange({ kind: toggled(kinds, id) })} />
        {riskChips.length > 0 && (
          <FilterChips label="Risk" chips={riskChips} selected={new Set(risks)} onToggle={(id) => onChange({ risk: toggled(risks, id) })} />
        )}
      </div>
    </div>
  );
}
