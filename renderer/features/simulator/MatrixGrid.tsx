// Cells of the matrix. One of them has the focus; arrows move it, Enter opens the check.
import { ArrowRight, CircleCheck, CircleSlash, CircleUser, Minus, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { cn } from '../../ui/cn.ts';
import { INK, type Tone } from '../../ui/status/tone.ts';
import { cellAfterKey, cellKey, cellWord, wouldChange, type Cell, type Cells } from './matrix.ts';

export interface MatrixGridProps {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly cells: Cells;
  readonly picked: { readonly agent: string; readonly tool: string };
  readonly onPick: (agent: string, tool: string) => void;
}

interface Look {
  readonly icon: LucideIcon;
  readonly tone: Tone;
  readonly word: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  allow: { icon: CircleCheck, tone: 'ok', word: 'Allow' },
  ask: { icon: CircleUser, tone: 'waiting', word: 'Ask' },
  deny: { icon: CircleSlash, tone: 'danger', word: 'Deny' },
  'not listed': { icon: Minus, tone: 'neutral', word: 'Not listed' },
  failed: { icon: TriangleAlert, tone: 'warn', word: 'No answer' },
};

const tooltip = (cell: Cell | undefined) => (cell === undefined ? undefined : 'failed' in cell ? cell.failed : cell.message);

export function MatrixGrid({ agents, tools, cells, picked, onPick }: MatrixGridProps) {
  const [at, setAt] = usePlace(agents.length, tools.length);
  const grid = useRef<HTMLTableElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = cellAfterKey(event.key, at, { rows: agents.length, columns: tools.length });
    if (!to) return;
    event.preventDefault();
    setAt(to);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${to.row}-${to.column}"]`)?.focus();
  };
  return (
    <div className="overflow-x-auto">
      <table ref={grid} role="grid" aria-label="Verdicts by agent and tool" onKeyDown={onKeyDown} className="w-full border-collapse">
        <thead>
          <tr className="border-b border-border text-left text-sm text-muted">
            <th scope="col" className="sticky left-0 z-10 bg-surface px-4 py-2 font-medium">
              Agent
            </th>
            {tools.map((tool) => (
              <th key={tool} scope="col" title={tool} className="max-w-64 truncate px-2 py-2 font-mono text-xs font-medium">
                {tool}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map((agent, row) => (
            <tr key={agent} className="border-b border-border/60 last:border-0">
              <th
                scope="row"
                title={agent}
                className="sticky left-0 z-10 max-w-64 truncate bg-surface px-4 py-1 text-left font-mono text-sm font-medium max-sm:max-w-32"
              >
                {agent}
              </th>
              {tools.map((tool, column) => {
                const current = picked.agent === agent && picked.tool === tool;
                const [now, then] = [cells.now.get(cellKey(agent, tool)), cells.then.get(cellKey(agent, tool))];
                const changes = wouldChange(now, then);
                const before = LOOKS[cellWord(now)];
                return (
                  <td key={tool} role="gridcell" aria-selected={current} className="p-0.5">
                    <button
                      type="button"
                      data-cell={`${row}-${column}`}
                      tabIndex={at.row === row && at.column === column ? 0 : -1}
                      title={tooltip(changes ? then : now)}
                      aria-label={`${agent}, ${tool}: ${before?.word ?? 'not checked yet'}${changes ? `, would be ${LOOKS[cellWord(then)]?.word}` : ''}`}
                      data-changes={changes || undefined}
                      onFocus={() => setAt({ row, column })}
                      onClick={() => onPick(agent, tool)}
                      className={cn(
                        'flex h-7 w-full min-w-24 items-center gap-1.5 rounded-sm px-2 text-sm whitespace-nowrap hover:bg-hover',
                        current && 'bg-selected',
                        changes && 'ring-2 ring-accent ring-inset',
                      )}
                    >
                      {before ? <CellLook {...before} /> : <span className="h-2 w-10 animate-shimmer rounded-sm bg-neutral-soft" />}
                      {changes && <Change to={LOOKS[cellWord(then)]} />}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cell that the keyboard reaches: rows and columns may go away. */
function usePlace(rows: number, columns: number) {
  const [{ row, column }, setAt] = useState({ row: 0, column: 0 });
  return [{ row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) }, setAt] as const;
}

function CellLook({ icon: Icon, tone, word }: Look) {
  return (
    <span className={cn('flex items-center gap-1.5', INK[tone])}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {word}
    </span>
  );
}

function Change({ to }: { readonly to: Look | undefined }) {
  return (
    <>
      <ArrowRight aria-hidden className="size-3.5 shrink-0 text-muted" />
      {to && <CellLook {...to} />}
    </>
  );
}
