// A JSON value that unfolds: keys of a tree, values copied one by one, only visible lines rendered.
import { useCallback, useMemo, useState, type KeyboardEvent } from 'react';
import { cn } from '../cn.ts';
import { jsonRows, MEMBERS_STEP, type JsonRow } from './json-rows.ts';
import { JsonTreeRow } from './JsonTreeRow.tsx';
import { useVirtualRows } from '../table/use-virtual-rows.ts';

export interface JsonTreeProps {
  readonly value: unknown;
  /** Its name for screen readers: "Output of the task". */
  readonly label: string;
  /** Levels unfolded from the start. */
  readonly openDepth?: number;
  readonly className?: string;
}

const LINE_HEIGHT = 22;

export function JsonTree({ value, label, openDepth = 2, className }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [listed, setListed] = useState<ReadonlyMap<string, number>>(new Map());
  const [wanted, setActive] = useState(0);
  const rows = useMemo(() => jsonRows(value, { toggled, openDepth, listed }), [value, toggled, openDepth, listed]);
  const active = Math.min(wanted, rows.length - 1);
  const { scroller, items, height, focusRow } = useVirtualRows({
    count: rows.length,
    keyOf: useCallback((index: number) => index, []),
    rowHeight: LINE_HEIGHT,
    active,
    overscan: 20,
  });
  const open = (row: JsonRow, on: boolean) => {
    if (row.more) setListed(new Map(listed).set(row.more.parent, (listed.get(row.more.parent) ?? MEMBERS_STEP) + 10 * MEMBERS_STEP));
    else if (row.size) setToggled(new Map(toggled).set(row.path, on));
  };
  const move = (to: number) => {
    const index = Math.min(rows.length - 1, Math.max(0, to));
    setActive(index);
    focusRow(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (!row || event.target instanceof HTMLButtonElement || !treeKey(event.key, { row, rows, active, move, open })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      className={cn('max-h-[32rem] min-h-0 overflow-auto rounded-md border border-border bg-sunken py-1 font-mono text-sm', className)}
    >
      <div role="presentation" className="relative" style={{ height }}>
        {items.map((item) => (
          <JsonTreeRow
            key={item.key}
            row={rows[item.index] as JsonRow}
            index={item.index}
            top={item.start}
            focusable={item.index === active}
            onFocused={setActive}
            onToggle={open}
          />
        ))}
      </div>
    </div>
  );
}

interface TreeState {
  readonly row: JsonRow;
  readonly rows: readonly JsonRow[];
  readonly active: number;
  readonly move: (to: number) => void;
  readonly open: (row: JsonRow, on: boolean) => void;
}

/** Handles a key in the tree; returns false for keys that are not the tree's. */
function treeKey(key: string, { row, rows, active, move, open }: TreeState): boolean {
  const folded = row.more !== undefined || (row.size !== undefined && row.size > 0 && !row.open);
  const parent = () => rows.findLastIndex((each, index) => index < active && each.depth < row.depth);
  const does: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (folded ? open(row, true) : move(active + 1)),
    ArrowLeft: () => (row.open ? open(row, false) : move(Math.max(0, parent()))),
    Enter: () => open(row, !row.open),
    ' ': () => open(row, !row.open),
  };
  const act = Object.hasOwn(does, key) ? does[key] : undefined;
  act?.();
  return act !== undefined;
}
