// The matrix of agents and tools: what is asked, how it is kept, and how it leaves as CSV. Pure.
import type { Verdict } from './check.ts';

export const AGENTS_MAX = 40;
export const TOOLS_MAX = 40;
/** Questions in one go: one HTTP batch. */
export const BATCH = 16;

export type Cell =
  { readonly verdict: Verdict; readonly code?: string | undefined; readonly message: string } | { readonly failed: string };

export const cellKey = (agent: string, tool: string): string => `${agent}\n${tool}`;

/** All pairs, row by row. */
export function pairsOf(agents: readonly string[], tools: readonly string[]): { readonly agent: string; readonly tool: string }[] {
  return agents.flatMap((agent) => tools.map((tool) => ({ agent, tool })));
}

export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Not listed is not denied by a rule: it is the usual case, and quiet. */
export function cellWord(cell: Cell | undefined): 'allow' | 'ask' | 'deny' | 'not listed' | 'failed' | '' {
  if (cell === undefined) return '';
  if ('failed' in cell) return 'failed';
  if (cell.code === 'unsupported_tool') return 'not listed';
  return cell.verdict === 'approval_required' ? 'ask' : cell.verdict;
}

/** A value that a spreadsheet takes for a formula is quoted as text. */
function csvValue(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function matrixCsv(agents: readonly string[], tools: readonly string[], cells: ReadonlyMap<string, Cell>): string {
  const rows = agents.map((agent) => [agent, ...tools.map((tool) => cellWord(cells.get(cellKey(agent, tool))))]);
  return [['agent', ...tools], ...rows].map((row) => row.map(csvValue).join(',')).join('\r\n') + '\r\n';
}

/** Where an arrow key leads in a grid; undefined for other keys. */
export function cellAfterKey(
  key: string,
  at: { readonly row: number; readonly column: number },
  size: { readonly rows: number; readonly columns: number },
): { readonly row: number; readonly column: number } | undefined {
  const { row, column } = at;
  const to = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    Home: { row, column: 0 },
    End: { row, column: size.columns - 1 },
  }[key];
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return to && { row: within(to.row, size.rows), column: within(to.column, size.columns) };
}
