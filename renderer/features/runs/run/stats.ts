// Metrics of a run as rows of a table: one for each agent or edge, sortable, with a share of the largest. Pure.
import type { MetricValues } from '@svc/shared/api/runs';

export interface MetricColumn {
  readonly id: string;
  readonly title: string;
  readonly read: (metrics: MetricValues) => number | null;
  readonly unit: 'count' | 'ms' | 'cost';
  /** Drawn as a bar. */
  readonly bar?: boolean;
}

const latency = (key: string) => (metrics: MetricValues) => {
  const value = metrics[key];
  return typeof value === 'number' ? value : null;
};

export const METRIC_COLUMNS: readonly MetricColumn[] = [
  { id: 'messages', title: 'Messages', read: ({ messages }) => messages, unit: 'count' },
  { id: 'retries', title: 'Retries', read: ({ retry_count }) => retry_count, unit: 'count' },
  { id: 'failed', title: 'Dead letters', read: ({ deadletter }) => deadletter, unit: 'count' },
  { id: 'skipped', title: 'Skipped', read: ({ skipped }) => skipped, unit: 'count' },
  { id: 'calls', title: 'Tool calls', read: ({ tool_calls }) => tool_calls, unit: 'count' },
  { id: 'tokens', title: 'Tokens', read: ({ tokens }) => tokens, unit: 'count', bar: true },
  { id: 'cost', title: 'Cost', read: ({ cost_usd }) => cost_usd, unit: 'cost' },
  { id: 'avg', title: 'Latency avg', read: latency('latency_ms_avg'), unit: 'ms' },
  { id: 'p95', title: 'Latency p95', read: latency('latency_ms_p95'), unit: 'ms', bar: true },
];

export interface MetricRow {
  readonly key: string;
  readonly label: string;
  readonly metrics: MetricValues;
}

export interface MetricSort {
  readonly column: string;
  readonly descending: boolean;
}

/** Unknown values come last in both directions. */
export function sortMetricRows(rows: readonly MetricRow[], { column, descending }: MetricSort): MetricRow[] {
  const read = METRIC_COLUMNS.find(({ id }) => id === column)?.read;
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (!read) return sign * a.label.localeCompare(b.label);
    const [x, y] = [read(a.metrics), read(b.metrics)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return x === y ? a.label.localeCompare(b.label) : sign * (x - y);
  });
}

/** 0 to 1, against the largest of the column. */
export function shareOf(column: MetricColumn, row: MetricRow, rows: readonly MetricRow[]): number {
  const most = Math.max(0, ...rows.map(({ metrics }) => column.read(metrics) ?? 0));
  return most === 0 ? 0 : (column.read(row.metrics) ?? 0) / most;
}
