// The head of a DataTable: names of columns, order, and the box that selects all loaded rows.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Checkbox } from '../input/Checkbox.tsx';
import { cn } from '../cn.ts';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';
import type { DataTableProps } from './DataTable.tsx';
import { nextSort } from './table-model.ts';

export interface DataTableHeadProps<Row> extends DataTableProps<Row> {
  readonly template: string;
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;

export function DataTableHead<Row>({ columns, template, rows, rowKey, selection, sort, onSort }: DataTableHeadProps<Row>) {
  const all = selection !== undefined && rows.length > 0 && rows.every((row) => selection.selected.has(rowKey(row)));
  const some = (selection?.selected.size ?? 0) > 0;
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-bg">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-8 items-center border-b border-border px-3 text-sm font-medium text-muted"
        style={{ gridTemplateColumns: template }}
      >
        {selection && (
          <div role="columnheader" className="flex px-3">
            <Checkbox
              aria-label="Select all loaded rows"
              checked={all ? true : some ? 'some' : false}
              onChange={(on) => selection.onChange(on ? new Set(rows.map(rowKey)) : new Set())}
            />
          </div>
        )}
        {columns.map((column) => {
          const sorted = sort?.column === column.id ? sort.direction : undefined;
          const Arrow = sorted === 'desc' ? ArrowDown : ArrowUp;
          const sortable = Boolean(column.sort) && onSort !== undefined;
          return (
            <div
              key={column.id}
              role="columnheader"
              aria-sort={sorted ? ARIA_SORT[sorted] : sortable ? 'none' : undefined}
              className={cn('min-w-0 truncate px-3', column.align === 'end' && 'text-right')}
            >
              {sortable ? (
                <button
                  type="button"
                  onClick={() => onSort(nextSort(sort, column))}
                  className={cn('group relative inline-flex h-6 max-w-full items-center rounded-xs hover:text-text', sorted && 'text-text')}
                >
                  <span className="truncate">{column.title}</span>
                  {/* In the gap beside the title, which stays in line with its cells. */}
                  <Arrow
                    aria-hidden
                    className={cn(
                      'absolute size-3',
                      column.align === 'end' ? 'right-full' : 'left-full',
                      !sorted && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60',
                    )}
                  />
                </button>
              ) : column.titleHidden ? (
                <VisuallyHidden>{column.title}</VisuallyHidden>
              ) : (
                column.title
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
