// Metrics by agent or by edge, sortable, with bars in the most compared columns.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { cn } from '../../../ui/cn.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { METRIC_COLUMNS, shareOf, sortMetricRows, type MetricColumn, type MetricRow, type MetricSort } from './stats.ts';

export interface StatsTableProps {
  readonly label: string;
  readonly what: string;
  readonly rows: readonly MetricRow[];
}

const BY_TOKENS: MetricSort = { column: 'tokens', descending: true };

export function StatsTable({ label, what, rows }: StatsTableProps) {
  const [sort, setSort] = useState(BY_TOKENS);
  const sorted = useMemo(() => sortMetricRows(rows, sort), [rows, sort]);
  const by = (column: string) => setSort({ column, descending: sort.column === column ? !sort.descending : column !== 'name' });
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label} className="w-full min-w-[52rem] border-collapse text-base tabular-nums">
        <thead>
          <tr className="border-b border-border text-sm text-muted">
            <Head id="name" title={what} sort={sort} onSort={by} />
            {METRIC_COLUMNS.map(({ id, title }) => (
              <Head key={id} id={id} title={title} sort={sort} onSort={by} end />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.key} className="border-b border-border/60 last:border-0 hover:bg-hover">
              <th scope="row" className="max-w-64 truncate px-4 py-1.5 text-left font-medium">
                {row.label}
              </th>
              {METRIC_COLUMNS.map((column) => (
                <Cell key={column.id} column={column} row={row} rows={rows} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps {
  readonly id: string;
  readonly title: string;
  readonly sort: MetricSort;
  readonly onSort: (column: string) => void;
  readonly end?: boolean;
}

function Head({ id, title, sort, onSort, end }: HeadProps) {
  const on = sort.column === id;
  const Arrow = on && !sort.descending ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={on ? (sort.descending ? 'descending' : 'ascending') : 'none'} className="px-4 py-1 font-medium">
      <button
        type="button"
        onClick={() => onSort(id)}
        className={cn('flex h-6 w-full items-center gap-1 rounded-xs hover:text-text', end && 'flex-row-reverse', on && 'text-text')}
      >
        {title}
        <Arrow aria-hidden className={cn('size-3', !on && 'opacity-0')} />
      </button>
    </th>
  );
}

export function metricText(value: number | null, unit: MetricColumn['unit']): string {
  if (value === null) return unit === 'cost' ? 'unknown' : '–';
  if (unit === 'cost') return formatCost(value);
  return unit === 'ms' ? formatDuration(value) : formatNumber(value);
}

function Cell({ column, row, rows }: { readonly column: MetricColumn; readonly row: MetricRow; readonly rows: readonly MetricRow[] }) {
  const value = column.read(row.metrics);
  return (
    <td className={cn('px-4 py-1.5 text-right', (value === 0 || value === null) && 'text-faint')}>
      {metricText(value, column.unit)}
      {column.bar && (
        <span aria-hidden className="mt-0.5 ml-auto block h-1 w-16 overflow-hidden rounded-full bg-neutral-soft">
          <span className="ml-auto block h-full rounded-full bg-accent" style={{ width: `${shareOf(column, row, rows) * 100}%` }} />
        </span>
      )}
    </td>
  );
}
