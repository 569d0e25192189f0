// Table of an experiment: results by case and variant, and the filters of its rows. Pure.
import { endedWithoutSuccess, type ExperimentResult } from '@svc/shared/api/experiments';

export interface ResultRow {
  /** Number of its first run. */
  readonly id: number;
  readonly case: string;
  readonly repeat: number;
  /** In the order of the variants; undefined for a run that has not begun. */
  readonly cells: readonly (ExperimentResult | undefined)[];
}

/** Rows in the order of the runs. */
export function rowsOf(results: readonly ExperimentResult[], variants: readonly string[]): ResultRow[] {
  const rows = new Map<string, { id: number; case: string; repeat: number; cells: (ExperimentResult | undefined)[] }>();
  for (const result of results) {
    const key = `${result.repeat} ${result.case}`;
    const row = rows.get(key) ?? { id: result.run, case: result.case, repeat: result.repeat, cells: variants.map(() => undefined) };
    const column = variants.indexOf(result.variant);
    if (column >= 0) row.cells[column] = result;
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => a.id - b.id);
}

export const ROW_FILTERS = ['differs', 'failed', 'down'] as const;
export type RowFilter = (typeof ROW_FILTERS)[number];

const CHECKS: Readonly<Record<RowFilter, (row: ResultRow) => boolean>> = {
  differs: ({ cells }) => new Set(cells.flatMap((cell) => (cell?.output == null ? [] : [cell.output]))).size > 1,
  failed: ({ cells }) => cells.some((cell) => cell !== undefined && endedWithoutSuccess(cell)),
  down: ({ cells }) => cells.some((cell) => cell?.rating?.thumb === 'down'),
};

/** Rows that every chosen filter lets through. */
export const filteredRows = (rows: readonly ResultRow[], filters: ReadonlySet<string>): ResultRow[] =>
  rows.filter((row) => ROW_FILTERS.every((filter) => !filters.has(filter) || CHECKS[filter](row)));

export const countOf = (rows: readonly ResultRow[], filter: RowFilter): number => rows.filter(CHECKS[filter]).length;

/** Place of a cell among the shown rows. */
export interface CellAt {
  readonly row: number;
  readonly column: number;
}

const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  j: [1, 0],
  ArrowDown: [1, 0],
  k: [-1, 0],
  ArrowUp: [-1, 0],
  l: [0, 1],
  ArrowRight: [0, 1],
  h: [0, -1],
  ArrowLeft: [0, -1],
};

/** The cell that a key leads to, within the table; undefined for another key. */
export function moved({ row, column }: CellAt, key: string, size: { readonly rows: number; readonly columns: number }): CellAt | undefined {
  const move = Object.hasOwn(MOVES, key) ? MOVES[key] : undefined;
  if (!move) return undefined;
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return { row: within(row + move[0], size.rows), column: within(column + move[1], size.columns) };
}
