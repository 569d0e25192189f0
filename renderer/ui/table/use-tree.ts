// A tree as rows of one height: its keys, the row with the focus, and the visible rows alone.
import { useState, type KeyboardEvent } from 'react';
import { useVirtualRows, type VirtualRowsOptions } from './use-virtual-rows.ts';

export interface TreeOptions<Row> extends Pick<VirtualRowsOptions, 'keyOf' | 'rowHeight' | 'padding'> {
  readonly rows: readonly Row[];
  /** Index of the row with the tab stop at first. */
  readonly start: () => number;
  /** Whether a row is unfolded; undefined where nothing can be below it. */
  readonly isOpen: (row: Row) => boolean | undefined;
  readonly onToggle: (row: Row, open: boolean) => void;
  /** By Enter or the space bar. */
  readonly onAct: (row: Row) => void;
}

export function useTree<Row extends { readonly depth: number }>(options: TreeOptions<Row>) {
  const { rows, start, ...place } = options;
  const [wanted, setActive] = useState(start);
  const active = Math.min(wanted, rows.length - 1);
  const { scroller, items, height, focusRow } = useVirtualRows({ ...place, count: rows.length, active, overscan: 20 });
  const move = (to: number) => {
    const index = Math.min(rows.length - 1, Math.max(0, to));
    setActive(index);
    focusRow(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (!row || event.target instanceof HTMLButtonElement) return;
    const does = keysAt(row, { ...options, active, move });
    const act = Object.hasOwn(does, event.key) ? does[event.key] : undefined;
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  return { scroller, items, height, active, setActive, onKeyDown };
}

interface Moves<Row> extends TreeOptions<Row> {
  readonly active: number;
  readonly move: (to: number) => void;
}

function keysAt<Row extends { readonly depth: number }>(row: Row, tree: Moves<Row>): Readonly<Record<string, () => void>> {
  const { rows, active, move, isOpen, onToggle, onAct } = tree;
  const open = isOpen(row);
  const parent = () => rows.findLastIndex((each, index) => index < active && each.depth < row.depth);
  return {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (open === false ? onToggle(row, true) : move(active + 1)),
    ArrowLeft: () => (open === true ? onToggle(row, false) : move(parent())),
    Enter: () => onAct(row),
    ' ': () => onAct(row),
  };
}
