// One row of a DataTable. Rendered again only when its visible data changes, since scrolling renders the table often.
import { PanelRight } from 'lucide-react';
import { memo, type MouseEvent } from 'react';
import { Checkbox } from '../input/Checkbox.tsx';
import { cn } from '../cn.ts';
import type { DataTableProps } from './DataTable.tsx';
import type { DataColumn } from './table-model.ts';

export interface DataTableRowProps<Row> {
  readonly table: DataTableProps<Row>;
  readonly columns: readonly DataColumn<Row>[];
  readonly template: string;
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly focusable: boolean;
  readonly onFocused: (index: number) => void;
  readonly onToggle: (index: number, range: boolean) => void;
}

/**
 * A click on a link, a button or marked text inside the row is not a click on the row; nor is one in a menu of the row, which is rendered
 * elsewhere in the page.
 */
function isRowClick(event: MouseEvent): boolean {
  if (!event.currentTarget.contains(event.target as HTMLElement)) return false;
  const inner = (event.target as HTMLElement).closest('a, button, input, label, [role="checkbox"]');
  return inner === null && (window.getSelection()?.isCollapsed ?? true);
}

function Row<Each>(props: DataTableRowProps<Each>) {
  const { table, columns, template, row, index, top, height, focusable, onFocused, onToggle } = props;
  const key = table.rowKey(row);
  const selected = table.selection?.selected.has(key) ?? false;
  const open = table.openKey === key;
  const named = columns.find(({ id }) => id === 'name') ?? columns[0];
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={table.selection ? selected : undefined}
      aria-current={open || undefined}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      onFocus={() => onFocused(index)}
      onClick={(event) => {
        if (isRowClick(event)) table.onOpen?.(row);
      }}
      style={{ gridTemplateColumns: template, height, transform: `translateY(${top}px)` }}
      className={cn(
        'group/row absolute inset-x-0 top-0 grid items-center border-b border-border/60 px-3 text-base -outline-offset-2 hover:bg-hover',
        table.onOpen && 'cursor-pointer',
        (selected || open) && 'bg-selected hover:bg-selected',
      )}
    >
      {table.selection && (
        <div role="gridcell" className="flex px-3" onClick={(event) => event.shiftKey && event.preventDefault()}>
          <Checkbox
            tabIndex={-1}
            aria-label={`Select ${table.rowLabel?.(row) ?? key}`}
            checked={selected}
            onChange={() => onToggle(index, false)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role={column === named ? 'rowheader' : 'gridcell'}
          className={cn(
            'flex min-w-0 items-center truncate px-3 whitespace-nowrap [&>*]:min-w-0',
            column.align === 'end' && 'justify-end tabular-nums',
          )}
        >
          <span className="truncate">{column.cell(row)}</span>
          {column === named && table.onPeek && (
            <PeekButton label={table.rowLabel?.(row) ?? key} pressed={open} onClick={() => table.onPeek?.(row, 'click')} />
          )}
        </div>
      ))}
    </div>
  );
}

interface PeekButtonProps {
  readonly label: string;
  readonly pressed: boolean;
  readonly onClick: () => void;
}

/** Shown at the end of the column of names under the pointer; the row's own key is Space. */
function PeekButton({ label, pressed, onClick }: PeekButtonProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Inspect ${label}`}
      aria-pressed={pressed}
      title="Open in the inspector (Space)"
      onClick={onClick}
      className="ml-auto flex size-6 shrink-0 items-center justify-center rounded-md text-faint opacity-0 group-hover/row:opacity-100 group-focus/row:opacity-100 hover:bg-neutral-soft hover:text-text aria-pressed:text-accent-text aria-pressed:opacity-100 pointer-coarse:opacity-100 [&_svg]:size-4"
    >
      <PanelRight aria-hidden />
    </button>
  );
}

type SameProps = (before: DataTableRowProps<never>, after: DataTableRowProps<never>) => boolean;

/** Handlers change with every render of the caller without a change of behaviour; visible data decides. */
const sameRow: SameProps = (before, after) =>
  before.row === after.row &&
  before.index === after.index &&
  before.top === after.top &&
  before.height === after.height &&
  before.focusable === after.focusable &&
  before.template === after.template &&
  before.columns === after.columns &&
  before.table.openKey === after.table.openKey &&
  before.table.onOpen === after.table.onOpen &&
  before.table.onPeek === after.table.onPeek &&
  before.table.selection?.selected === after.table.selection?.selected &&
  before.table.selection?.onChange === after.table.selection?.onChange &&
  before.table.rows === after.table.rows;

export const DataTableRow = memo(Row, sameRow as (before: object, after: object) => boolean) as typeof Row;
