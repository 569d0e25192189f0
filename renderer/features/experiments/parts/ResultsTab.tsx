// Results of an experiment: progress, metrics of its variants, and the table of outputs side by side.
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { CircleSlash, Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { experimentCsvHead, experimentCsvLine } from '@svc/shared/experiment-csv';
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { download } from '../../../ui/text/large-text.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { toastError } from '../../../ui/overlay/toast.ts';
import { countOf, filteredRows, ROW_FILTERS, rowsOf, type RowFilter } from '../model/table.ts';
import { useResults } from '../model/use-results.ts';
import { MetricsTable } from './MetricsTable.tsx';
import { ResultsTable } from './ResultsTable.tsx';

const KIND = 'Experiment';
const GOING: ReadonlySet<string> = new Set(['Pending', 'Running']);

export function ResultsTab({ resource }: { readonly resource: Resource }) {
  const status = statusOf(KIND, resource);
  const { results, error, retry, rate } = useResults(resource);
  const stopped = status.lastError !== undefined && status.phase !== 'Cancelled';
  return (
    <div className="flex min-w-0 flex-col gap-4 px-6 py-4 max-sm:px-4">
      {stopped && <Banner tone={status.phase === 'Failed' ? 'danger' : 'warn'}>No further run begins: {status.lastError}.</Banner>}
      <Progress resource={resource} results={results} />
      <MetricsTable variants={status.variants ?? []} />
      {error !== null && !results && <ErrorCard title="The results could not be loaded" error={error} onRetry={retry} />}
      {!results && error === null && <Skeleton className="h-40" />}
      {results && <Table resource={resource} results={results} rate={rate} />}
    </div>
  );
}

interface TableProps extends Pick<ReturnType<typeof useResults>, 'rate'> {
  readonly resource: Resource;
  readonly results: readonly ExperimentResult[];
}

const FILTER_LABELS: Readonly<Record<RowFilter, string>> = { differs: 'Differs', failed: 'Failed', down: 'Thumb down' };

function Table({ resource, results, rate }: TableProps) {
  const { variants } = specOf(KIND, resource);
  const { phase } = statusOf(KIND, resource);
  const names = useMemo(() => variants.map(({ name }) => name), [variants]);
  const rows = useMemo(() => rowsOf(results, names), [results, names]);
  const [filters, setFilters] = useState<ReadonlySet<string>>(new Set());
  const [marksChanges, setMarksChanges] = useState(false);
  const shown = useMemo(() => filteredRows(rows, filters), [rows, filters]);
  const toggle = (id: string) =>
    setFilters((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]));
  if (rows.length === 0)
    return (
      <EmptyState cause="none" title={GOING.has(phase) ? 'No run has begun yet' : 'No run began'}>
        {GOING.has(phase) ? 'Results appear here as runs end.' : 'The experiment ended before its first run.'}
      </EmptyState>
    );
  return (
    <section aria-label="Results" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterChips
          label="Rows"
          chips={ROW_FILTERS.map((id) => ({ id, label: FILTER_LABELS[id], count: countOf(rows, id) }))}
          selected={filters}
          onToggle={toggle}
        />
        {names.length > 1 && (
          <FilterChips
            label="Outputs"
            chips={[{ id: 'changes', label: `Changes against ${names[0] ?? ''}` }]}
            selected={new Set(marksChanges ? ['changes'] : [])}
            onToggle={() => setMarksChanges(!marksChanges)}
          />
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState cause="filtered" title="No rows match these filters">
          Turn one of them off.
        </EmptyState>
      ) : (
        <ResultsTable rows={shown} variants={names} namespace={resource.metadata.namespace} marksChanges={marksChanges} rate={rate} />
      )}
    </section>
  );
}

interface ProgressProps {
  readonly resource: Resource;
  readonly results: readonly ExperimentResult[] | undefined;
}

function Progress({ resource, results }: ProgressProps) {
  const { total = 0, runs = 0, active = 0, phase } = statusOf(KIND, resource);
  const ended = runs - active;
  const going = GOING.has(phase);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="flex min-w-48 grow basis-80 items-center gap-3">
        <div
          role="progressbar"
          aria-label="Runs that have ended"
          aria-valuemin={0}
          aria-valuenow={ended}
          aria-valuemax={total}
          className="h-1.5 w-40 shrink-0 overflow-hidden rounded-full bg-neutral-soft"
        >
          <div className="h-full bg-accent transition-[width]" style={{ width: `${(100 * ended) / Math.max(1, total)}%` }} />
        </div>
        <span className="text-base text-muted tabular-nums">
          {formatNumber(ended)} of {formatNumber(total)} runs have ended{active > 0 && `, ${formatNumber(active)} are active`}
        </span>
      </div>
      <Button
        icon={<Download />}
        disabledReason={results?.length ? undefined : 'There are no results yet'}
        onClick={() =>
          download(`${resource.metadata.name}.csv`, `${experimentCsvHead()}${(results ?? []).map(experimentCsvLine).join('')}`, 'text/csv')
        }
      >
        Download CSV
      </Button>
      {going && <CancelButton resource={resource} active={active} />}
    </div>
  );
}

function CancelButton({ resource: { metadata }, active }: { readonly resource: Resource; readonly active: number }) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  const cancel = useMutation({
    mutationFn: () => client.experiments.cancel.mutate({ namespace: metadata.namespace, name: metadata.name }),
    onSuccess: () => setOpen(false),
    onError: (error) => toastError('The experiment was not cancelled', error),
  });
  return (
    <>
      <Button icon={<CircleSlash />} disabledReason={reason} onClick={() => setOpen(true)}>
        Cancel
      </Button>
      <ConfirmDialog
        open={open}
        busy={cancel.isPending}
        title={`Cancel ${metadata.name}?`}
        consequence={`No further run begins, and ${active === 1 ? 'the active run is' : `${active} active runs are`} cancelled. Results so far are kept.`}
        confirmLabel="Cancel the experiment"
        cancelLabel="Let it run"
        onClose={() => setOpen(false)}
        onConfirm={() => cancel.mutate()}
      />
    </>
  );
}
