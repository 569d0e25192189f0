// The system as a tree of agents and their routes: all functions of the canvas, without a pointer and for screen readers.
import { useCallback, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { announce } from '../../../ui/feedback/announcer.ts';
import { PRINTED_ROWS, PrintedPart } from '../../../ui/table/printing.tsx';
import { useActiveRow } from '../../../ui/table/use-active-row.ts';
import { useVirtualRows } from '../../../ui/table/use-virtual-rows.ts';
import type { GraphProblem, GraphSelection } from '../../../graph/canvas-items.ts';
import type { DesignActions } from '../document/design-actions.ts';
import { outlineItems, type OutlineItem } from './outline-items.ts';
import { OutlineRow } from './OutlineRow.tsx';
import type { Design } from '../document/use-design.ts';

export interface OutlineProps {
  readonly name: string;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly marks: ReadonlyMap<string, GraphProblem>;
  readonly readOnly: boolean;
  /** Scrolls the canvas to the item. */
  readonly onShow: (agent: string) => void;
}

/** The keys of the tree. Returns whether the key was one of them. */
function actOn(item: OutlineItem, key: string, { design, actions, onShow }: Pick<OutlineProps, 'design' | 'actions' | 'onShow'>): boolean {
  const agent = item.kind === 'agent' ? item.id : item.edge.source;
  switch (key) {
    case 'Enter':
    case ' ':
      design.select(item.kind === 'agent' ? { nodes: [item.id], edges: [] } : { nodes: [], edges: [item.id] });
      onShow(item.kind === 'agent' ? item.id : item.edge.target);
      announce(
        item.kind === 'agent' ? `${item.id} selected, its details are in the inspector` : 'Connection selected; the inspector shows it',
      );
      return true;
    case 'Delete':
    case 'Backspace':
      actions.removeItems(item.kind === 'agent' ? [item.id] : [], item.kind === 'route' ? [item.id] : []);
      return true;
    case 'c':
      actions.pick({ for: 'connect', from: agent });
      return true;
    case 'i':
      if (item.kind === 'route') actions.pick({ for: 'insert', edge: item.edge });
      return item.kind === 'route';
    default:
      return false;
  }
}

/** The height of a line in px: `h-7` of the row. */
const LINE_HEIGHT = 28;
/** A small system is on the page as a whole. */
const OVERSCAN = 20;

const idOf = ({ id }: OutlineItem): string => id;

/** Focused line, folded agents, and keys. */
function useTree(props: OutlineProps) {
  const { design, actions, readOnly } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const items = useMemo(() => outlineItems(design.model, closed), [design.model, closed]);
  const [at, setActive] = useActiveRow(items, idOf);
  const current = items[at];
  const rows = useVirtualRows({
    count: items.length,
    keyOf: useCallback((index: number) => items[index]?.id ?? index, [items]),
    rowHeight: LINE_HEIGHT,
    active: at,
    overscan: OVERSCAN,
    padding: 6,
  });
  const { focusRow } = rows;
  const focusAt = (index: number) => {
    const to = Math.min(Math.max(0, index), items.length - 1);
    setActive(to);
    focusRow(to);
  };
  const toggle = (agent: string, close: boolean) =>
    setClosed((before) => (close ? new Set([...before, agent]) : new Set([...before].filter((each) => each !== agent))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || !current) return;
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    const to = moves[event.key];
    if (event.altKey && current.kind === 'route' && ['ArrowUp', 'ArrowDown'].includes(event.key) && !readOnly) {
      actions.moveRoute(current.edge, current.place + (event.key === 'ArrowUp' ? -1 : 1));
    } else if (to !== undefined) focusAt(to);
    else if (event.key === 'ArrowRight' && current.kind === 'agent') {
      if (closed.has(current.id)) toggle(current.id, false);
      else if (current.routes > 0) focusAt(at + 1);
    } else if (event.key === 'ArrowLeft') {
      if (current.kind === 'route') focusAt(items.findIndex(({ id: each }) => each === current.edge.source));
      else if (current.routes > 0) toggle(current.id, true);
    } else if (readOnly && !['Enter', ' '].includes(event.key)) return;
    else if (!actOn(current, event.key, props)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { rows, items, at, closed, setActive, onKeyDown };
}

/**
 * Scrolls a selection made elsewhere into view and makes it the tab stop. While the outline has the focus, its keys stay with the focused
 * line.
 */
function useSelectedInSight({ nodes, edges }: GraphSelection, tree: ReturnType<typeof useTree>) {
  const only = nodes.length + edges.length === 1 ? (nodes[0] ?? edges[0]) : undefined;
  const latest = useRef(tree);
  useEffect(() => {
    latest.current = tree;
  });
  useEffect(() => {
    const { items, rows, setActive } = latest.current;
    const index = items.findIndex(({ id }) => id === only);
    if (index < 0) return;
    rows.scrollTo(index);
    if (rows.scroller.current?.contains(document.activeElement) !== true) setActive(index);
  }, [only]);
}

export function Outline(props: OutlineProps) {
  const { name, design, marks, readOnly } = props;
  const id = useId();
  const tree = useTree(props);
  const { rows, items, at, closed, setActive, onKeyDown } = tree;
  const { selection } = design;
  useSelectedInSight(selection, tree);
  const selected = useMemo(() => new Set([...selection.nodes, ...selection.edges]), [selection]);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const pick = useCallback((item: OutlineItem) => void actOn(item, 'Enter', latest.current), []);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p id={id} className="sr-only">
        Arrows move, Enter selects and shows details.{' '}
        {!readOnly &&
          'A adds an agent, C connects, I inserts an agent into a connection, Delete removes, Alt with arrows reorders connections.'}
      </p>
      <div
        ref={rows.scroller}
        role="tree"
        aria-label={`Outline of ${name}`}
        aria-describedby={id}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div role="presentation" {...PRINTED_ROWS} className="relative" style={{ height: rows.height }}>
          {rows.items.map(({ key, index, start }) => {
            const item = items[index] as OutlineItem;
            return (
              <OutlineRow
                key={key}
                item={item}
                index={index}
                top={start}
                mark={marks.get(item.id)}
                selected={selected.has(item.id)}
                closed={closed.has(item.id)}
                focusable={index === at}
                onFocused={setActive}
                onPick={pick}
              />
            );
          })}
        </div>
        <PrintedPart loaded={items.length} total={items.length} />
      </div>
    </div>
  );
}
