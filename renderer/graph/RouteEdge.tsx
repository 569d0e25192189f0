// The line of one route on the canvas, with its labels.
import { BaseEdge, EdgeLabelRenderer, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import { cn } from '../ui/cn.ts';
import { conditionText } from './accessible-text.ts';
import { edgeLine } from './edge-path.ts';
import type { Direction } from './layout.ts';
import type { EdgeOverlay } from './overlay.ts';
import type { SystemEdge } from './system-graph.ts';

export interface RouteEdgeData extends Record<string, unknown> {
  readonly edge: SystemEdge;
  readonly lane: number | undefined;
  readonly direction: Direction;
  readonly overlay: EdgeOverlay | undefined;
  /** A run is shown: routes it did not take are faint. */
  readonly inRun: boolean;
  readonly problem: boolean;
  readonly dropTarget: boolean;
}

export type RouteEdgeType = Edge<RouteEdgeData, 'route'>;

/** Arrow head and colour of a line: the classes of graph.css. */
function lineLook({ edge, overlay, inRun, problem }: RouteEdgeData): string {
  if (problem) return 'danger';
  if (overlay?.dead) return 'danger';
  if (overlay?.active) return 'active';
  if (overlay && overlay.count > 0) return 'taken';
  if (inRun) return 'quiet';
  return edge.kind;
}

export const RouteEdge = memo(function RouteEdge(props: EdgeProps<RouteEdgeType>) {
  const { id, sourceX, sourceY, targetX, targetY, data, selected } = props;
  if (!data) return null;
  const { edge, lane, direction, overlay, dropTarget } = data;
  const { path, label } = edgeLine({ from: { x: sourceX, y: sourceY }, to: { x: targetX, y: targetY }, direction, edge, lane });
  const look = lineLook(data);
  // A plain route shows its condition only while it is selected: most are taken on success.
  const words = edge.chips.length > 0 || selected !== true ? edge.chips : [conditionText(edge)];
  const dashed = edge.field === 'next' || edge.field === 'implied';
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={22}
        markerEnd={`url(#system-arrow-${selected ? 'selected' : look})`}
        className={cn('system-line', `system-line-${look}`, dashed && 'system-line-dashed', dropTarget && 'system-line-target')}
      />
      {edge.kind === 'fan-out' && <circle cx={sourceX} cy={sourceY} r={4} className="system-fan" />}
      {(words.length > 0 || (overlay && overlay.count > 1)) && (
        <EdgeLabelRenderer>
          <div
            aria-hidden
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
            // The label of a selected route is whole: the library lifts a selected card to 1000.
            className={cn('pointer-events-none absolute flex max-w-52 flex-col items-center gap-0.5', selected && 'z-[1001]')}
          >
            {words.map((chip) => (
              <span
                key={chip}
                className={cn(
                  'max-w-full truncate rounded-sm border bg-surface px-1.5 text-md text-text',
                  selected ? 'border-accent' : 'border-border-strong/45',
                )}
              >
                {chip}
              </span>
            ))}
            {overlay && overlay.count > 1 && (
              <span className="rounded-full bg-neutral-soft px-1.5 text-md font-medium text-neutral tabular-nums">×{overlay.count}</span>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
