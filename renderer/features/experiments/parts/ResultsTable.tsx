// Outputs side by side: cases down, variants across. j, k, h, l move, + and - rate, n writes a note, Enter unfolds a row, o opens the run.
import { useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { focusRendered } from '../../../ui/focus-rendered.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { moved, type CellAt, type ResultRow } from '../model/table.ts';
import { useCellActions, type CellActions } from '../model/use-cell-actions.ts';
import type { Results } from '../model/use-results.ts';
import { NoteDialog } from './NoteDialog.tsx';
import { ResultCell } from './ResultCell.tsx';

export interface ResultsTableProps extends Pick<Results, 'rate'> {
  readonly rows: readonly ResultRow[];
  readonly variants: readonly string[];
  readonly namespace: string;
  /** Marks what the outputs of other variants change of the first one. */
  readonly marksChanges: boolean;
}

/** Rows shown at first, and further ones at each press. */
const STEP = 50;

export function ResultsTable({ rows, variants, namespace, marksChanges, rate }: ResultsTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<CellAt>({ row: 0, column: 0 });
  const [limit, setLimit] = useState(STEP);
  const actions = useCellActions(namespace, rate);
  const shown = rows.slice(0, limit);
  const here = { row: Math.min(at.row, shown.length - 1), column: at.column };
  const focus = (place: CellAt) => {
    setAt(place);
    focusRendered(() => table.current?.querySelector<HTMLElement>(`[data-cell="${place.row}-${place.column}"]`));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as HTMLElement).hasAttribute('data-cell')) return;
    const row = shown[here.row];
    const to = moved(here, event.key, { rows: shown.length, columns: variants.length });
    const act = row && actions.ofKey(event.key, row, row.cells[here.column]);
    if (!to && !act) return;
    event.preventDefault();
    event.stopPropagation();
    if (to) focus(to);
    else act?.();
  };
  return (
    <>
      <p className="text-sm text-muted">
        Keys in the table: j k h l move, + and - rate, n writes a note, Enter unfolds a row, o opens the run.
      </p>
      <div className="overflow-x-auto rounded-lg border border-border bg-surface shadow-raised">
        <table ref={table} onKeyDown={onKeyDown} aria-label="Outputs by case and variant" className="w-full table-fixed text-base">
          <thead>
            <tr className="border-b border-border text-sm text-muted">
              <th scope="col" className="w-40 px-3 py-1.5 text-left font-medium">
                Case
              </th>
              {variants.map((name) => (
                <th key={name} scope="col" className="w-72 truncate border-l border-border px-3 py-1.5 text-left font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, rowAt) => (
              <Row
                key={row.id}
                {...{ row, rowAt, variants, namespace, marksChanges, actions }}
                focusable={here.row === rowAt ? here.column : undefined}
                onFocus={(column) => setAt({ row: rowAt, column })}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > limit && (
        <Button className="self-start" onClick={() => setLimit(limit + STEP)}>
          Show {formatNumber(Math.min(STEP, rows.length - limit))} more of {formatNumber(rows.length)} rows
        </Button>
      )}
      {actions.noted && <NoteDialog result={actions.noted} onClose={() => actions.note(undefined)} onSave={actions.saveNote} />}
    </>
  );
}

interface RowProps extends Pick<ResultsTableProps, 'variants' | 'namespace' | 'marksChanges'> {
  readonly row: ResultRow;
  readonly rowAt: number;
  readonly actions: CellActions;
  /** Column whose cell takes the focus. */
  readonly focusable: number | undefined;
  readonly onFocus: (column: number) => void;
}

function Row({ row, rowAt, variants, namespace, marksChanges, actions, focusable, onFocus }: RowProps) {
  return (
    <tr className="border-t border-border align-top first:border-t-0">
      <th scope="row" className="px-3 py-2 text-left font-medium [overflow-wrap:anywhere]">
        {row.case}
        {row.repeat > 1 && <span className="block text-sm font-normal text-muted">repeat {row.repeat}</span>}
      </th>
      {row.cells.map((cell, column) => (
        <ResultCell
          key={variants[column]}
          cell={cell}
          first={marksChanges && column > 0 ? row.cells[0] : undefined}
          place={`${rowAt}-${column}`}
          label={`${row.case}, ${variants[column] ?? ''}`}
          focusable={focusable === column}
          unfolded={actions.isUnfolded(row)}
          namespace={namespace}
          cannotRate={actions.cannotRate}
          onFocus={() => onFocus(column)}
          onUnfold={() => actions.unfold(row)}
          onRate={(thumb) => cell && actions.rate(cell, thumb)}
          onNote={() => actions.note(cell)}
        />
      ))}
    </tr>
  );
}
