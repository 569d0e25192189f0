// A JSON value that unfolds: keys of a tree, values copied one by one, only visible lines rendered.
import { useCallback, useMemo, useState } from 'react';
import { cn } from '../cn.ts';
import { jsonRows, MEMBERS_STEP, type JsonRow } from './json-rows.ts';
import { JsonTreeRow } from './JsonTreeRow.tsx';
import { PRINTED_ROWS, PrintedPart } from '../table/printing.tsx';
import { useTree } from '../table/use-tree.ts';

export interface JsonTreeProps {
  readonly value: unknown;
  /** Its name for screen readers: "Output of the task". */
  readonly label: string;
  /** Levels unfolded from the start. */
  readonly openDepth?: number;
  readonly className?: string;
}

const LINE_HEIGHT = 24;

export function JsonTree({ value, label, openDepth = 2, className }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [listed, setListed] = useState<ReadonlyMap<string, number>>(new Map());
  const rows = useMemo(() => jsonRows(value, { toggled, openDepth, listed }), [value, toggled, openDepth, listed]);
  const open = (row: JsonRow, on: boolean) => {
    if (row.more) setListed(new Map(listed).set(row.more.parent, (listed.get(row.more.parent) ?? MEMBERS_STEP) + 10 * MEMBERS_STEP));
    else if (row.size) setToggled(new Map(toggled).set(row.path, on));
  };
  const { scroller, items, height, active, setActive, onKeyDown } = useTree({
    rows,
    keyOf: useCallback((index: number) => index, []),
    rowHeight: LINE_HEIGHT,
    start: () => 0,
    isOpen: (row) => (row.more || row.size ? row.open : undefined),
    onToggle: open,
    onAct: (row) => open(row, !row.open),
  });
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      className={cn('max-h-[32rem] min-h-0 overflow-auto rounded-md border border-border bg-sunken py-1 font-mono text-sm', className)}
    >
      <div role="presentation" {...PRINTED_ROWS} className="relative" style={{ height }}>
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
      <PrintedPart loaded={rows.length} total={rows.length} />
    </div>
  );
}
