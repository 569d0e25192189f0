// Metrics of a run as rows of a table: one for each agent or edge, sortable, with a share of the largest. Pure.
import type { RunFigures } from '@svc/shared/api/runs';

export interface FigureColumn {
  readonly id: string;
  readonly title: string;
  readonly read: (figures: RunFigures) => number | null;
  readonly unit: 'count' | 'ms' | 'cost';
  /** Drawn as a bar. */
  readonly bar?: boolean;
}

const latency = (key: string) => (figures: RunFigures) => {
  const value = figures[key];
  return typeof value === 'number' ? value : null;
};

export const FIGURE_COLUMNS: readonly FigureColumn[] = [
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

export interface FigureRow {
  readonly key: string;
  readonly label: string;
  readonly figures: RunFigures;
}

export interface FigureSort {
  readonly column: string;
  readonly descending: boolean;
}

/** Unknown values come last in both directions. */
export function sortFigures(rows: readonly FigureRow[], { column, descending }: FigureSort): FigureRow[] {
  const read = FIGURE_COLUMNS.find(({ id }) => id === column)?.read;
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (!read) return sign * a.label.localeCompare(b.label);
    const [x, y] = [read(a.figures), read(b.figures)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return x === y ? a.label.localeCompare(b.label) : sign * (x - y);
  });
}

/** 0 to 1, against the largest of the column. */
export function shareOf(column: FigureColumn, row: FigureRow, rows: readonly FigureRow[]): number {
  const most = Math.max(0, ...rows.map(({ figures }) => column.read(figures) ?? 0));
  return most === 0 ? 0 : (column.read(row.figures) ?? 0) / most;
}
