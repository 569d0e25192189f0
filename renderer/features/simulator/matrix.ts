// The matrix of agents and tools: its questions, its storage, and its export as CSV. Pure.
import type { Verdict } from './check.ts';

export const AGENTS_MAX = 40;
export const TOOLS_MAX = 40;
/** Questions per request: one HTTP batch. */
export const BATCH = 16;
/** Pairs per request of a what-if, which carries the documents each time: as many as the server accepts. */
export const WHAT_IF_BATCH = 64;

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

/** An unlisted tool is not denied by a rule: it is the usual case, and quiet. */
export function cellWord(cell: Cell | undefined): 'allow' | 'ask' | 'deny' | 'not listed' | 'failed' | '' {
  if (cell === undefined) return '';
  if ('failed' in cell) return 'failed';
  if (cell.code === 'unsupported_tool') return 'not listed';
  return cell.verdict === 'approval_required' ? 'ask' : cell.verdict;
}

/** A value that a spreadsheet would read as a formula is quoted as text. */
function csvValue(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export interface Cells {
  readonly now: ReadonlyMap<string, Cell>;
  /** With a tried change; empty without one. */
  readonly then: ReadonlyMap<string, Cell>;
}

/** Whether a cell would change; one without an answer would not. */
export function wouldChange(now: Cell | undefined, then: Cell | undefined): boolean {
  const words = [cellWord(now), cellWord(then)];
  return words[0] !== words[1] && !words.includes('') && !words.includes('failed');
}

/** Agents that list none of the tools, neither now nor with the tried change. */
export function quietAgents(agents: readonly string[], tools: readonly string[], { now, then }: Cells): readonly string[] {
  const isQuiet = (cell: Cell | undefined) => cellWord(cell) === 'not listed';
  return agents.filter((agent) =>
    tools.every((tool) => {
      const key = cellKey(agent, tool);
      return isQuiet(now.get(key)) && (!then.has(key) || isQuiet(then.get(key)));
    }),
  );
}

export function matrixCsv(agents: readonly string[], tools: readonly string[], { now, then }: Cells): string {
  const text = (key: string) => {
    const [before, after] = [now.get(key), then.get(key)];
    return wouldChange(before, after) ? `${cellWord(before)}, would be ${cellWord(after)}` : cellWord(before);
  };
  const rows = agents.map((agent) => [agent, ...tools.map((tool) => text(cellKey(agent, tool)))]);
  return [['agent', ...tools], ...rows].map((row) => row.map(csvValue).join(',')).join('\r\n') + '\r\n';
}

/** Target of an arrow key in a grid; undefined for other keys. */
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
