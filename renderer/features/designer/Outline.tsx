// The system as a tree of agents and their routes: everything the canvas can do, without a pointer and for screen readers.
import { Bot, ChevronDown, ChevronRight, CornerDownRight, Flag, LogIn, Merge, Repeat2, TriangleAlert } from 'lucide-react';
import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { announce } from '../../ui/announcer.ts';
import { cn } from '../../ui/cn.ts';
import type { GraphProblem } from '../graph/canvas-items.ts';
import type { DesignActions } from './design-actions.ts';
import { outlineItems, type OutlineItem } from './outline-items.ts';
import type { Design } from './use-design.ts';

export interface OutlineProps {
  readonly name: string;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly marks: ReadonlyMap<string, GraphProblem>;
  readonly readOnly: boolean;
  /** Brings the item into sight on the canvas. */
  readonly onShow: (agent: string) => void;
}

function spoken(item: OutlineItem, mark: GraphProblem | undefined): string {
  const said = item.kind === 'agent' ? [`Agent ${item.id}`, ...item.notes] : [`Route to ${item.edge.target}`, item.words];
  return [...said, ...(mark ? [`${mark.severity}: ${mark.message}`] : [])].join(', ');
}

function Row({ item, mark, closed }: { readonly item: OutlineItem; readonly mark: GraphProblem | undefined; readonly closed: boolean }) {
  if (item.kind === 'route') {
    return (
      <>
        {item.edge.kind === 'loop-back' ? (
          <Repeat2 aria-hidden className="size-3.5 shrink-0 text-warn" />
        ) : (
          <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-faint" />
        )}
        <span className="shrink-0 truncate">{item.edge.target}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{item.edge.chips.join(', ')}</span>
        {mark && <TriangleAlert aria-hidden className={cn('size-3.5 shrink-0', mark.severity === 'error' ? 'text-danger' : 'text-warn')} />}
      </>
    );
  }
  const Chevron = closed ? ChevronRight : ChevronDown;
  const { node } = item;
  return (
    <>
      <Chevron aria-hidden className={cn('size-3.5 shrink-0 text-faint', item.routes === 0 && 'invisible')} />
      <Bot aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate font-medium">{item.id}</span>
      <span className="flex shrink-0 items-center gap-1 text-muted [&_svg]:size-3.5">
        {node.join && <Merge aria-hidden />}
        {node.entry && <LogIn aria-hidden className="text-accent-text" />}
        {node.terminal && <Flag aria-hidden />}
        {mark && <TriangleAlert aria-hidden className={mark.severity === 'error' ? 'text-danger' : 'text-warn'} />}
      </span>
    </>
  );
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
        item.kind === 'agent'
          ? `${item.id} selected, its details are in the inspector`
          : 'Route selected, its details are in the inspector',
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

/** Which line has the focus, which agents are folded, and what keys do. */
function useTree(props: OutlineProps) {
  const { design, actions, readOnly } = props;
  const tree = useRef<HTMLUListElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const items = useMemo(() => outlineItems(design.model, closed), [design.model, closed]);
  const current = items.find((item) => item.id === focused) ?? items[0];
  const focusAt = (index: number) => {
    const item = items[Math.min(Math.max(0, index), items.length - 1)];
    if (!item) return;
    setFocused(item.id);
    tree.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(item.id)}"]`)?.focus();
  };
  const toggle = (agent: string, close: boolean) =>
    setClosed((before) => (close ? new Set([...before, agent]) : new Set([...before].filter((each) => each !== agent))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || !current) return;
    const at = items.indexOf(current);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    const to = moves[event.key];
    if (event.altKey && current.kind === 'route' && ['ArrowUp', 'ArrowDown'].includes(event.key) && !readOnly) {
      actions.moveRoute(current.edge, current.place + (event.key === 'ArrowUp' ? -1 : 1));
    } else if (to !== undefined) focusAt(to);
    else if (event.key === 'ArrowRight' && current.kind === 'agent') {
      if (closed.has(current.id)) toggle(current.id, false);
      else focusAt(at + 1);
    } else if (event.key === 'ArrowLeft') {
      if (current.kind === 'route') focusAt(items.findIndex(({ id: each }) => each === current.edge.source));
      else toggle(current.id, true);
    } else if (readOnly && !['Enter', ' '].includes(event.key)) return;
    else if (!actOn(current, event.key, props)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { tree, items, current, closed, setFocused, onKeyDown };
}

export function Outline(props: OutlineProps) {
  const { name, design, marks, readOnly } = props;
  const id = useId();
  const { tree, items, current, closed, setFocused, onKeyDown } = useTree(props);
  const selected = new Set([...design.selection.nodes, ...design.selection.edges]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p id={id} className="sr-only">
        Arrows move, Enter selects and shows details.{' '}
        {!readOnly &&
          'A adds an agent, C connects, I puts an agent on a route, Delete removes, Alt with arrows changes the order of routes.'}
      </p>
      <ul
        ref={tree}
        role="tree"
        aria-label={`Outline of ${name}`}
        aria-describedby={id}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto p-1.5"
      >
        {items.map((item) => (
          <li
            key={item.id}
            role="treeitem"
            data-item={item.id}
            aria-level={item.kind === 'agent' ? 1 : 2}
            aria-selected={selected.has(item.id)}
            aria-expanded={item.kind === 'agent' && item.routes > 0 ? !closed.has(item.id) : undefined}
            tabIndex={item.id === current?.id ? 0 : -1}
            onFocus={() => setFocused(item.id)}
            onClick={() => actOn(item, 'Enter', props)}
            className={cn(
              'flex h-7 cursor-default items-center gap-1.5 rounded-md pr-2 text-base -outline-offset-2 hover:bg-hover aria-selected:bg-selected',
              item.kind === 'agent' ? 'pl-1' : 'pl-7',
            )}
          >
            <span className="sr-only">{spoken(item, marks.get(item.id))}</span>
            <span aria-hidden className="flex min-w-0 flex-1 items-center gap-1.5">
              <Row item={item} mark={marks.get(item.id)} closed={closed.has(item.id)} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
