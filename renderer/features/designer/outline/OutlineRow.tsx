// One line of the outline: an agent or one of its routes.
import { Bot, ChevronDown, ChevronRight, CornerDownRight, Flag, LogIn, Merge, Repeat2, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { cn } from '../../../ui/cn.ts';
import type { GraphProblem } from '../../../graph/canvas-items.ts';
import type { OutlineItem } from './outline-items.ts';

export interface OutlineRowProps {
  readonly item: OutlineItem;
  readonly index: number;
  /** Its distance from the first line, in px. */
  readonly top: number;
  readonly mark: GraphProblem | undefined;
  readonly selected: boolean;
  /** Its routes are folded. */
  readonly closed: boolean;
  /** It is the tab stop. */
  readonly focusable: boolean;
  readonly onFocused: (index: number) => void;
  readonly onPick: (item: OutlineItem) => void;
}

function spoken(item: OutlineItem, mark: GraphProblem | undefined): string {
  const parts = item.kind === 'agent' ? [`Agent ${item.id}`, ...item.notes] : [`Connection to ${item.edge.target}`, item.words];
  return [...parts, ...(mark ? [`${mark.severity}: ${mark.message}`] : [])].join(', ');
}

export const OutlineRow = memo(function OutlineRow(props: OutlineRowProps) {
  const { item, index, top, mark, selected, closed, focusable, onFocused, onPick } = props;
  return (
    <div
      role="treeitem"
      data-index={index}
      aria-level={item.kind === 'agent' ? 1 : 2}
      aria-posinset={item.place + 1}
      aria-setsize={item.of}
      aria-selected={selected}
      aria-expanded={item.kind === 'agent' && item.routes > 0 ? !closed : undefined}
      tabIndex={focusable ? 0 : -1}
      onFocus={() => onFocused(index)}
      onClick={() => onPick(item)}
      style={{ transform: `translateY(${top}px)` }}
      className={cn(
        'absolute inset-x-1.5 top-0 flex h-7 cursor-default items-center gap-1.5 rounded-md pr-2 text-base -outline-offset-2 hover:bg-hover aria-selected:bg-selected',
        item.kind === 'agent' ? 'pl-1' : 'pl-7',
      )}
    >
      <span className="sr-only">{spoken(item, mark)}</span>
      <span aria-hidden className="flex min-w-0 flex-1 items-center gap-1.5">
        {item.kind === 'agent' ? <Agent item={item} mark={mark} closed={closed} /> : <Route item={item} mark={mark} />}
      </span>
    </div>
  );
});

type AgentItem = Extract<OutlineItem, { kind: 'agent' }>;
type RouteItem = Extract<OutlineItem, { kind: 'route' }>;

function Agent({ item, mark, closed }: { readonly item: AgentItem; readonly mark: GraphProblem | undefined; readonly closed: boolean }) {
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
        <MarkSign mark={mark} />
      </span>
    </>
  );
}

function Route({ item: { edge }, mark }: { readonly item: RouteItem; readonly mark: GraphProblem | undefined }) {
  return (
    <>
      {edge.kind === 'loop-back' ? (
        <Repeat2 aria-hidden className="size-3.5 shrink-0 text-warn" />
      ) : (
        <CornerDownRight aria-hidden className="size-3.5 shrink-0 text-faint" />
      )}
      <span className="shrink-0 truncate">{edge.target}</span>
      <span className="min-w-0 flex-1 truncate text-sm text-muted">{edge.chips.join(', ')}</span>
      <MarkSign mark={mark} />
    </>
  );
}

function MarkSign({ mark }: { readonly mark: GraphProblem | undefined }) {
  if (!mark) return null;
  return <TriangleAlert aria-hidden className={cn('size-3.5 shrink-0', mark.severity === 'error' ? 'text-danger' : 'text-warn')} />;
}
