// The model as objects of the canvas library. Unchanged nodes and routes stay identical, so that only changed cards render again.
import { Position } from '@xyflow/react';
import type { AgentFacts } from './agent-summary.ts';
import type { AgentNodeData, AgentNodeType } from './AgentNode.tsx';
import type { Box, Direction } from './layout.ts';
import type { RunOverlay } from './overlay.ts';
import type { RouteEdgeData, RouteEdgeType } from './RouteEdge.tsx';
import { edgeText, nodeText } from './accessible-text.ts';
import type { SystemGraphModel } from './system-graph.ts';
import type { TrialMarks } from './trial-marks.ts';

export interface GraphSelection {
  readonly nodes: readonly string[];
  /** Ids of routes. */
  readonly edges: readonly string[];
}

export const NOTHING_SELECTED: GraphSelection = { nodes: [], edges: [] };

export interface GraphProblem {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

export interface CanvasInput {
  readonly model: SystemGraphModel;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly lanes: ReadonlyMap<string, number>;
  readonly direction: Direction;
  readonly facts: ReadonlyMap<string, AgentFacts>;
  readonly overlay: RunOverlay | undefined;
  /** By agent or by id of a route. */
  readonly problems: ReadonlyMap<string, GraphProblem>;
  readonly marks: TrialMarks;
  readonly selection: GraphSelection;
  readonly editable: boolean;
  /** The agent that is the tab stop. */
  readonly tabStop: string | undefined;
  /** Drop target among the routes. */
  readonly dropEdge: string | undefined;
}

export interface CanvasItems {
  readonly nodes: AgentNodeType[];
  readonly edges: RouteEdgeType[];
}

export const NO_ITEMS: CanvasItems = { nodes: [], edges: [] };

const HANDLE = 1;

function handlesOf({ width, height }: Box, direction: Direction): NonNullable<AgentNodeType['handles']> {
  const size = { width: HANDLE, height: HANDLE };
  return direction === 'LR'
    ? [
        { type: 'target', position: Position.Left, x: 0, y: height / 2, ...size },
        { type: 'source', position: Position.Right, x: width - HANDLE, y: height / 2, ...size },
      ]
    : [
        { type: 'target', position: Position.Top, x: width / 2, y: 0, ...size },
        { type: 'source', position: Position.Bottom, x: width / 2, y: height - HANDLE, ...size },
      ];
}

/** One level deep is enough: values are primitives, or objects that keep their identity. */
function alike(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}

/** Nodes and routes of a model are new with each edit; their drawn content mostly is not. A drag leaves the objects themselves. */
function sameDrawn<T extends object>(a: T, b: T): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function nodesOf(input: CanvasInput, before: readonly AgentNodeType[]): AgentNodeType[] {
  const { model, boxes, direction, facts, overlay, problems, marks, selection, editable, tabStop } = input;
  const known = new Map(before.map((node) => [node.id, node]));
  const selected = new Set(selection.nodes);
  return model.nodes.map((node): AgentNodeType => {
    const box = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
    const old = known.get(node.id);
    const made: AgentNodeData = {
      node: old && sameDrawn(old.data.node, node) ? old.data.node : node,
      facts: facts.get(node.id),
      overlay: overlay && (overlay.nodes.get(node.id) ?? (overlay.ended === true ? MISSED : IDLE)),
      problem: problems.get(node.id),
      marks: marks.get(node.id),
      direction,
      editable,
    };
    const data = old && alike(old.data, made) ? old.data : made;
    const tabIndex = tabStop === node.id ? 0 : -1;
    const same =
      old?.data === data &&
      old.selected === selected.has(node.id) &&
      old.position.x === box.x &&
      old.position.y === box.y &&
      old.width === box.width &&
      old.domAttributes?.tabIndex === tabIndex;
    if (same) return old;
    return {
      id: node.id,
      type: 'agent',
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      measured: { width: box.width, height: box.height },
      handles: handlesOf(box, direction),
      selected: selected.has(node.id),
      data,
      ariaRole: 'group',
      ariaLabel: nodeText(node, data),
      domAttributes: { tabIndex },
    };
  });
}

const IDLE = { state: 'idle' } as const;
const MISSED = { state: 'idle', missed: true } as const;

function edgesOf(input: CanvasInput, before: readonly RouteEdgeType[]): RouteEdgeType[] {
  const { model, lanes, direction, overlay, problems, selection, tabStop, dropEdge } = input;
  const known = new Map(before.map((edge) => [edge.id, edge]));
  const selected = new Set(selection.edges);
  return model.edges.map((edge): RouteEdgeType => {
    const old = known.get(edge.id);
    const made: RouteEdgeData = {
      edge: old?.data && sameDrawn(old.data.edge, edge) ? old.data.edge : edge,
      lane: lanes.get(edge.id),
      direction,
      overlay: overlay?.edges.get(edge.route),
      inRun: overlay !== undefined,
      problem: problems.get(edge.id)?.severity === 'error',
      dropTarget: dropEdge === edge.id,
    };
    const data = old?.data && alike(old.data, made) ? old.data : made;
    // Tab moves from an agent to its own routes, and then out of the canvas.
    const tabIndex = tabStop === edge.source || selected.has(edge.id) ? 0 : -1;
    if (old?.data === data && old.selected === selected.has(edge.id) && old.domAttributes?.tabIndex === tabIndex) return old;
    return {
      id: edge.id,
      source: edge.source,
      target: edge.target,
      type: 'route',
      selected: selected.has(edge.id),
      data,
      ariaRole: 'group',
      ariaLabel: edgeText(edge, data.overlay),
      domAttributes: { tabIndex },
    };
  });
}

/** The current items, sharing equal ones with the previous items. Pure. */
export function canvasItems(input: CanvasInput, before: CanvasItems): CanvasItems {
  return { nodes: nodesOf(input, before.nodes), edges: edgesOf(input, before.edges) };
}
