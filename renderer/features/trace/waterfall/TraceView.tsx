// Arrangement of the waterfall's rows, and the visible part of the run.
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import type { SetTraceSearch, TraceSearch } from '../model/trace-search.ts';

const GROUPS = [
  { value: 'nested', label: 'Nested' },
  { value: 'agent', label: 'By agent' },
  { value: 'branch', label: 'By branch' },
] as const;

const DETAIL_STEPS = [
  { value: 'less', label: 'Less' },
  { value: 'calls', label: 'Calls' },
  { value: 'more', label: 'More' },
] as const;

export interface TraceViewProps {
  readonly search: TraceSearch;
  readonly onChange: SetTraceSearch;
}

export function TraceView({ search, onChange }: TraceViewProps) {
  return (
    <>
      <SegmentedControl label="Arrange" value={search.group} segments={GROUPS} onChange={(group) => onChange({ group })} />
      <SegmentedControl label="Detail" value={search.detail} segments={DETAIL_STEPS} onChange={(detail) => onChange({ detail })} />
    </>
  );
}
