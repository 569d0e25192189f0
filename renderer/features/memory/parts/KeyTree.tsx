// Tree of keys: folders unfold, entries are selected. Keys of a tree, only visible rows rendered.
import { ChevronRight, FileText, FolderSearch } from 'lucide-react';
import { useCallback } from 'react';
import { cn } from '../../../ui/cn.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { PRINTED_ROWS, PrintedPart } from '../../../ui/table/printing.tsx';
import { useTree } from '../../../ui/table/use-tree.ts';
import { rowId, type FolderRow, type KeyRow } from '../model/key-tree.ts';

export interface KeyTreeProps {
  readonly rows: readonly KeyRow[];
  /** Key of the shown entry. */
  readonly selected: string;
  /** Whether there are keys that have not been read: counts of folders are then lower bounds. */
  readonly more: boolean;
  readonly onSelect: (key: string) => void;
  readonly onToggle: (folder: FolderRow, on: boolean) => void;
  readonly onPrefix: (prefix: string) => void;
}

const ROW_HEIGHT = 28;
const INDENT_MAX = 12;

export function KeyTree({ rows, selected, more, onSelect, onToggle, onPrefix }: KeyTreeProps) {
  const act = (row: KeyRow) => (row.type === 'folder' ? onToggle(row, !row.open) : onSelect(row.key));
  const { scroller, items, height, active, setActive, onKeyDown } = useTree({
    rows,
    keyOf: useCallback((index: number) => rowId(rows[index] as KeyRow), [rows]),
    rowHeight: ROW_HEIGHT,
    padding: 4,
    start: () =>
      Math.max(
        0,
        rows.findIndex((row) => row.type === 'entry' && row.key === selected),
      ),
    isOpen: (row) => (row.type === 'folder' ? row.open : undefined),
    onToggle: (row, open) => row.type === 'folder' && onToggle(row, open),
    onAct: act,
  });
  return (
    <div ref={scroller} role="tree" aria-label="Keys" onKeyDown={onKeyDown} className="min-h-0 flex-1 overflow-auto">
      <div role="presentation" {...PRINTED_ROWS} className="relative" style={{ height }}>
        {items.map((item) => (
          <KeyTreeRow
            key={item.key}
            row={rows[item.index] as KeyRow}
            index={item.index}
            top={item.start}
            focusable={item.index === active}
            selected={selected}
            more={more}
            onFocused={setActive}
            onAct={act}
            onPrefix={onPrefix}
          />
        ))}
      </div>
      <PrintedPart loaded={rows.length} total={more ? undefined : rows.length} />
    </div>
  );
}

interface RowProps {
  readonly row: KeyRow;
  readonly index: number;
  readonly top: number;
  readonly focusable: boolean;
  readonly selected: string;
  readonly more: boolean;
  readonly onFocused: (index: number) => void;
  readonly onAct: (row: KeyRow) => void;
  readonly onPrefix: (prefix: string) => void;
}

function KeyTreeRow({ row, index, top, focusable, selected, more, onFocused, onAct, onPrefix }: RowProps) {
  const folder = row.type === 'folder';
  const isSelected = !folder && row.key === selected;
  return (
    <div
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={folder ? row.open : undefined}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={focusable ? 0 : -1}
      onFocus={() => onFocused(index)}
      onClick={() => onAct(row)}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 16 + Math.min(row.depth, INDENT_MAX) * 16 }}
      className={cn(
        'group absolute inset-x-0 top-0 flex h-7 cursor-pointer items-center gap-1.5 pr-2 -outline-offset-2 hover:bg-hover',
        isSelected && 'bg-selected',
      )}
    >
      {folder ? (
        <ChevronRight aria-hidden className={cn('size-3.5 shrink-0 text-faint transition-transform', row.open && 'rotate-90')} />
      ) : (
        <FileText aria-hidden className="size-3.5 shrink-0 text-faint" />
      )}
      <span className="min-w-0 truncate font-mono text-sm" title={folder ? row.prefix : row.key}>
        <UntrustedText text={row.label} className="[overflow-wrap:normal]" />
      </span>
      {folder && (
        <span className="text-sm text-muted tabular-nums">
          {formatNumber(row.count)}
          {more && '+'}
        </span>
      )}
      {folder && (
        <span
          className="ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
          onClick={(event) => event.stopPropagation()}
        >
          <IconButton
            size="sm"
            label={`Show only ${row.prefix}`}
            icon={<FolderSearch />}
            tabIndex={focusable ? 0 : -1}
            onClick={() => onPrefix(row.prefix)}
          />
        </span>
      )}
    </div>
  );
}
