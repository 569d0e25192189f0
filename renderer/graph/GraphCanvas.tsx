// The canvas: draws a model and reports selections, moves, connections and drops. It changes nothing by itself and is independent of YAML
// and traces.
import '@xyflow/react/dist/base.css';
import './graph.css';
import {
  Background,
  BackgroundVariant,
  MiniMap,
  Panel,
  ReactFlow,
  type EdgeChange,
  type NodeChange,
  type ReactFlowInstance,
} from '@xyflow/react';
import {
  useCallback,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent as ReactMouseEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { focusRendered } from '../ui/focus-rendered.ts';
import { AgentNode, type AgentNodeType } from './AgentNode.tsx';
import type { AgentFacts } from './agent-summary.ts';
import { canvasItems, NO_ITEMS, NOTHING_SELECTED, type CanvasItems, type GraphProblem, type GraphSelection } from './canvas-items.ts';
import { lanesOf } from './edge-path.ts';
import { GraphLegend } from './GraphLegend.tsx';
import { GraphMarkers } from './GraphMarkers.tsx';
import { boxesOf, type Box, type Placement, type Point } from './layout.ts';
import { cardSizes } from './node-size.ts';
import { foremostAgent, type RunOverlay } from './overlay.ts';
import { RouteEdge, type RouteEdgeType } from './RouteEdge.tsx';
import type { SystemGraphModel } from './system-graph.ts';
import type { TrialMarks } from './trial-marks.ts';
import { CanvasNotes, type CanvasNotesProps } from './CanvasNotes.tsx';
import { firstView, MAP_NODES_MIN, resizedView, shiftedTo, type View } from './view.ts';
import { useInitialView, useKeptView } from './use-initial-view.ts';
import { ZoomControls } from './ZoomControls.tsx';
import { ARROWS, walk, type Arrow } from './walk.ts';

export interface GraphEditing {
  readonly mayConnect: (source: string, target: string) => boolean;
  readonly onConnect: (source: string, target: string) => void;
  /** A route was drawn to an empty place; `at` is on the canvas, `screen` in the window. */
  readonly onConnectToEmpty: (source: string, at: Point, screen: Point) => void;
  /** Agents were dragged or nudged to these positions. */
  readonly onMove: (places: ReadonlyMap<string, Point>) => void;
}

/** Commands that the parent of a canvas can call. */
export interface GraphHandle {
  readonly fit: () => void;
  readonly actualSize: () => void;
  /** Scrolls to the agent and focuses it. */
  readonly focusNode: (id: string) => void;
  /** Scrolls to the agent without focus. */
  readonly showNode: (id: string) => void;
  /** Shows all of it where it fits at a readable size, else the agent. */
  readonly showAdded: (id: string) => void;
  readonly toCanvas: (screen: Point) => Point;
  /** Scrolls to a note or group that was just added, as the last one, and focuses its text. */
  readonly focusNote: (box: Box) => void;
  /** Middle of the visible part, on the canvas. */
  readonly middle: () => Point;
  readonly boxes: () => ReadonlyMap<string, Box>;
}

export interface GraphCanvasProps {
  readonly label: string;
  readonly model: SystemGraphModel;
  readonly facts: ReadonlyMap<string, AgentFacts>;
  readonly placement: Placement;
  readonly overlay?: RunOverlay | undefined;
  readonly problems?: ReadonlyMap<string, GraphProblem> | undefined;
  readonly marks?: TrialMarks | undefined;
  readonly selection?: GraphSelection | undefined;
  readonly onSelect?: ((selection: GraphSelection) => void) | undefined;
  /** Enter or a double click. */
  readonly onOpen?: ((agent: string) => void) | undefined;
  /** The context menu of an agent was requested, by pointer or key, at this point of the window. */
  readonly onMenu?: ((agent: string, at: Point) => void) | undefined;
  readonly editing?: GraphEditing | undefined;
  readonly dropEdge?: string | undefined;
  /** Default: whether the model has `MAP_NODES_MIN` agents. */
  readonly minimap?: boolean | undefined;
  /** Zoom of the first view at least. Default: readable. */
  readonly zoomMin?: number;
  readonly legend?: boolean | undefined;
  /** Notes and groups; absent where none are drawn. */
  readonly notes?: CanvasNotesProps | undefined;
  readonly onReady?: ((handle: GraphHandle) => void) | undefined;
  /** Shown over the canvas: toolbars, empty states. */
  readonly children?: ReactNode;
}

const NODE_TYPES = { agent: AgentNode };
const EDGE_TYPES = { route: RouteEdge };
const NO_PROBLEMS: ReadonlyMap<string, GraphProblem> = new Map();
const NO_MARKS: TrialMarks = new Map();
const MANY_NODES = 120;
const MAP = {
  position: 'top-right',
  pannable: true,
  zoomable: true,
  style: { width: 150, height: 110 },
  maskStrokeColor: 'var(--accent)',
  maskStrokeWidth: 2,
  // On a phone, and at twice the size, it would cover the picture.
  className: 'rounded-md border border-border max-md:hidden',
} as const;
const FIT = { padding: 0.12, minZoom: 0.1, maxZoom: 1, duration: 160 } as const;
const ARIA = { 'controls.ariaLabel': 'Canvas', 'minimap.ariaLabel': 'Overview of the canvas' } as const;

/** The console's own keys replace the library's: one place decides the meaning of a key. */
const SETTINGS = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  ariaLabelConfig: ARIA,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: 'Shift',
  multiSelectionKeyCode: ['Meta', 'Control', 'Shift'],
  zoomOnDoubleClick: false,
  nodeDragThreshold: 3,
  connectionRadius: 28,
  minZoom: 0.1,
  maxZoom: 2,
  proOptions: { hideAttribution: true },
};

type Flow = ReactFlowInstance<AgentNodeType, RouteEdgeType>;

/** Positions, lines and library objects of the model; equal ones keep their identity from render to render. */
function useItems(props: GraphCanvasProps, dragged: ReadonlyMap<string, Point>, active: string | undefined) {
  const { model, placement, facts, overlay, problems = NO_PROBLEMS, marks = NO_MARKS } = props;
  const { selection = NOTHING_SELECTED, editing, dropEdge } = props;
  const sizes = useMemo(() => cardSizes(model), [model]);
  const placed = useMemo(() => boxesOf(model, sizes, placement), [model, sizes, placement]);
  const boxes = useMemo(() => {
    if (dragged.size === 0) return placed;
    return new Map([...placed].map(([id, box]) => [id, { ...box, ...dragged.get(id) }]));
  }, [placed, dragged]);
  const { direction } = placement;
  const lanes = useMemo(() => lanesOf(model.edges, boxes, direction), [model, boxes, direction]);
  const before = useRef<CanvasItems>(NO_ITEMS);
  const editable = editing !== undefined;
  const tabStop = active !== undefined && model.byName.has(active) ? active : model.nodes[0]?.id;
  const items = useMemo(() => {
    const input = { model, boxes, lanes, direction, facts, overlay, problems, marks, selection, editable, tabStop, dropEdge };
    before.current = canvasItems(input, before.current);
    return before.current;
  }, [model, boxes, lanes, direction, facts, overlay, problems, marks, selection, editable, tabStop, dropEdge]);
  return { items, boxes };
}

interface Shown {
  readonly flow: Flow | undefined;
  readonly root: HTMLElement | null;
  readonly box: Box | undefined;
}

/** Moves the view to an element of the canvas; true where it had to. One that is not rendered is outside of the view. */
function showElement({ flow, root, box }: Shown, element: Element | null | undefined): boolean {
  const seen = element?.getBoundingClientRect();
  const frame = root?.getBoundingClientRect();
  const inside =
    seen && frame && seen.left >= frame.left && seen.right <= frame.right && seen.top >= frame.top && seen.bottom <= frame.bottom;
  if (inside || !flow || !box) return false;
  const { x, y, width, height } = box;
  void flow.setCenter(x + width / 2, y + height / 2, { zoom: flow.getZoom() });
  return true;
}

const agentOf = (root: HTMLElement | null, id: string) =>
  root?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);

/** An item outside of the view is not rendered until the view has moved. */
export const focusAgent = (root: HTMLElement | null, id: string) => focusRendered(() => agentOf(root, id), { preventScroll: true });

/** Selection and drags as whole values, which the library reports piece by piece. */
function useCanvasChanges({ selection = NOTHING_SELECTED, onSelect, editing }: GraphCanvasProps) {
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(new Map());
  const latest = useRef(selection);
  latest.current = selection;
  const select = useCallback(
    (part: keyof GraphSelection, changes: readonly { readonly id: string; readonly selected: boolean }[]) => {
      if (changes.length === 0) return;
      const next = new Set(latest.current[part]);
      for (const { id, selected } of changes) {
        if (selected) next.add(id);
        else next.delete(id);
      }
      latest.current = { ...latest.current, [part]: [...next] };
      onSelect?.(latest.current);
    },
    [onSelect],
  );
  const moving = useRef<ReadonlyMap<string, Point>>(new Map());
  const onNodesChange = useCallback(
    (changes: NodeChange<AgentNodeType>[]) => {
      select(
        'nodes',
        changes.filter((change) => change.type === 'select'),
      );
      const moves = changes.filter((change) => change.type === 'position');
      const next = new Map(moving.current);
      for (const { id, position } of moves) if (position) next.set(id, position);
      if (next.size > 0 && moves.length > 0) {
        moving.current = next;
        setDragged(next);
      }
    },
    [select],
  );
  const onDragStop = useCallback(() => {
    if (moving.current.size > 0) editing?.onMove(moving.current);
    moving.current = new Map();
    setDragged(new Map());
  }, [editing]);
  const onEdgesChange = useCallback(
    (changes: EdgeChange<RouteEdgeType>[]) =>
      select(
        'edges',
        changes.filter((change) => change.type === 'select'),
      ),
    [select],
  );
  return { dragged, onNodesChange, onEdgesChange, onDragStop };
}

const NUDGE = 8;

interface KeyOptions {
  readonly props: GraphCanvasProps;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly focus: (id: string) => void;
}

/** Arrows walk, Alt with arrows nudges, Enter selects and then opens. */
function useCanvasKeys({ props, boxes, focus }: KeyOptions) {
  const { model, placement, selection = NOTHING_SELECTED, onSelect, onOpen, editing } = props;
  const onArrow = (id: string, event: KeyboardEvent) => {
    const arrow = event.key as Arrow;
    if (event.altKey && editing) {
      const step = event.shiftKey ? NUDGE * 4 : NUDGE;
      const [dx, dy] = { ArrowRight: [step, 0], ArrowLeft: [-step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[arrow] as [
        number,
        number,
      ];
      const moved = selection.nodes.includes(id) ? selection.nodes : [id];
      editing.onMove(new Map(moved.flatMap((each) => (boxes.has(each) ? [[each, shifted(boxes.get(each), dx, dy)]] : []))));
      return;
    }
    const to = walk(model, boxes, { from: id, arrow, direction: placement.direction });
    if (to === undefined) return;
    focus(to);
    onSelect?.({ nodes: event.shiftKey ? [...new Set([...selection.nodes, id, to])] : [to], edges: [] });
  };
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || !(event.target instanceof Element)) return;
    const node = event.target.closest('.react-flow__node')?.getAttribute('data-id');
    const edge = event.target.closest('.react-flow__edge')?.getAttribute('data-id');
    if (node != null && event.target.classList.contains('react-flow__node') && ARROWS.includes(event.key)) {
      event.preventDefault();
      onArrow(node, event);
    } else if (event.key === 'Enter' && node != null) {
      event.preventDefault();
      if (selection.nodes.length === 1 && selection.nodes[0] === node) onOpen?.(node);
      else onSelect?.({ nodes: [node], edges: [] });
    } else if (event.key === 'Enter' && edge != null) {
      event.preventDefault();
      onSelect?.({ nodes: [], edges: [edge] });
    }
  };
}

function shifted(box: Box | undefined, dx: number, dy: number): Point {
  return { x: (box?.x ?? 0) + dx, y: (box?.y ?? 0) + dy };
}

/** Handlers of the library for a route that is being drawn. */
function connectionHandlers(editing: GraphEditing | undefined, flow: () => Flow | undefined) {
  if (!editing) return { nodesConnectable: false, nodesDraggable: false };
  return {
    nodesConnectable: true,
    nodesDraggable: true,
    isValidConnection: ({ source, target }: { source: string; target: string }) => editing.mayConnect(source, target),
    onConnect: ({ source, target }: { source: string; target: string }) => editing.onConnect(source, target),
    onConnectEnd: (
      event: MouseEvent | TouchEvent,
      state: {
        isValid: boolean | null;
        fromNode: { id: string } | null;
        toNode: { id: string } | null;
        fromHandle: { type: string } | null;
      },
    ) => {
      if (state.isValid === true || !state.fromNode || state.toNode || state.fromHandle?.type !== 'source') return;
      const touch = 'changedTouches' in event ? event.changedTouches[0] : event;
      const screen = { x: touch?.clientX ?? 0, y: touch?.clientY ?? 0 };
      const source = state.fromNode.id;
      // The library connects near a handle only; people drop on the card.
      const card = document.elementFromPoint(screen.x, screen.y)?.closest('.react-flow__node')?.getAttribute('data-id');
      if (card == null) editing.onConnectToEmpty(source, flow()?.screenToFlowPosition(screen) ?? screen, screen);
      else if (card !== source && editing.mayConnect(source, card)) editing.onConnect(source, card);
    },
  };
}

function viewHandle(
  flow: Flow,
  root: RefObject<HTMLElement | null>,
  keep: () => void,
): Pick<GraphHandle, 'fit' | 'actualSize' | 'toCanvas' | 'middle'> {
  return {
    fit: () => {
      keep();
      void flow.fitView(FIT);
    },
    actualSize: () => {
      keep();
      void flow.zoomTo(1, { duration: FIT.duration });
    },
    toCanvas: (screen) => flow.screenToFlowPosition(screen),
    middle: () => {
      const { left = 0, top = 0, width = 0, height = 0 } = root.current?.getBoundingClientRect() ?? {};
      return flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 });
    },
  };
}

interface ViewOptions {
  readonly root: RefObject<HTMLDivElement | null>;
  /** Current boxes; a ref, so that no command changes with them. */
  readonly boxes: { readonly current: ReadonlyMap<string, Box> };
  readonly direction: Placement['direction'];
  readonly zoomMin: number | undefined;
  /** The agent where the run is: the first view shows it in any case, unless another is selected. */
  readonly foremost: string | undefined;
  /** The one selected agent. */
  readonly selected: string | undefined;
  readonly onActive: (id: string) => void;
}

/** The library's instance, and the commands over it. */
function useView({ root, boxes, direction, zoomMin, foremost, selected, onActive }: ViewOptions) {
  const flow = useRef<Flow | undefined>(undefined);
  const handle = useRef<GraphHandle>(undefined);
  /** The frame that will show an added agent; a later command replaces it. */
  const adding = useRef(0);
  const shown = selected ?? foremost;
  const look = useCallback(
    (screen: DOMRect) => {
      const box = shown === undefined ? undefined : boxes.current.get(shown);
      void flow.current?.setViewport(firstView(boxes.current, screen, { direction, zoomMin, foremost: box }));
    },
    [boxes, direction, zoomMin, shown],
  );
  const follow = (agent: string, screen: DOMRect) => {
    const view: View | undefined = flow.current?.getViewport();
    const box = selected === undefined ? boxes.current.get(agent) : undefined;
    if (view && box) void flow.current?.setViewport(shiftedTo(view, box, screen));
  };
  const refit = (before: DOMRect, { width, height }: DOMRect) => {
    const view: View | undefined = flow.current?.getViewport();
    const box = selected === undefined ? undefined : boxes.current.get(selected);
    if (view) void flow.current?.setViewport(resizedView(view, before, { width, height, selected: box }));
  };
  const { keep, onMoveStart } = useInitialView(root, { look, refit, foremost, follow });
  // The view is kept: an inspector that opens for the agent changes the size of the canvas.
  const show = useCallback(
    (id: string) => {
      cancelAnimationFrame(adding.current);
      if (showElement({ flow: flow.current, root: root.current, box: boxes.current.get(id) }, agentOf(root.current, id))) keep();
    },
    [root, boxes, keep],
  );
  const focus = useCallback(
    (id: string) => {
      onActive(id);
      show(id);
      focusAgent(root.current, id);
    },
    [onActive, show, root],
  );
  useKeptView(useCallback(() => flow.current, []));
  const begin = (made: Flow): GraphHandle => {
    flow.current = made;
    if (root.current) look(root.current.getBoundingClientRect());
    // After rendering, when the boxes and the size of the canvas are those with the new agent.
    const showAdded = (id: string) => {
      cancelAnimationFrame(adding.current);
      adding.current = requestAnimationFrame(() => {
        if (root.current) look(root.current.getBoundingClientRect());
        show(id);
      });
    };
    const focusNote = (box: Box) =>
      void requestAnimationFrame(() => {
        const field = [...(root.current?.querySelectorAll<HTMLElement>('[data-note] textarea') ?? [])].at(-1);
        if (showElement({ flow: made, root: root.current, box }, field?.closest('[data-note]'))) keep();
        field?.focus({ preventScroll: true });
      });
    handle.current = {
      ...viewHandle(made, root, keep),
      focusNode: focus,
      showNode: show,
      showAdded,
      focusNote,
      boxes: () => boxes.current,
    };
    return handle.current;
  };
  return { flow, handle, focus, keep, onMoveStart, begin };
}

/** A key reports no point of its own: the menu then opens at the agent. */
function menuHandler(onMenu: NonNullable<GraphCanvasProps['onMenu']>) {
  return (event: MouseEvent | ReactMouseEvent, { id }: { readonly id: string }) => {
    event.preventDefault();
    const { left = 0, bottom = 0 } = event.target instanceof Element ? event.target.getBoundingClientRect() : {};
    const byKey = event.clientX === 0 && event.clientY === 0;
    onMenu(id, byKey ? { x: left, y: bottom } : { x: event.clientX, y: event.clientY });
  };
}

export function GraphCanvas(props: GraphCanvasProps) {
  const { label, model, placement, editing, onReady, onOpen, onMenu, onSelect, minimap, legend, notes, children } = props;
  const root = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const { dragged, onNodesChange, onEdgesChange, onDragStop } = useCanvasChanges(props);
  const { items, boxes } = useItems(props, dragged, active);
  const current = useRef(boxes);
  current.current = boxes;
  const selected = props.selection?.nodes.length === 1 ? props.selection.nodes[0] : undefined;
  const foremost = useMemo(() => props.overlay && foremostAgent(props.overlay), [props.overlay]);
  const { flow, handle, focus, keep, onMoveStart, begin } = useView({
    ...{ root, boxes: current, direction: placement.direction, zoomMin: props.zoomMin },
    ...{ foremost, selected },
    onActive: setActive,
  });
  const onKeyDown = useCanvasKeys({ props, boxes, focus });
  const connections = useMemo(() => connectionHandlers(editing, () => flow.current), [editing, flow]);
  return (
    <div
      ref={root}
      role="group"
      aria-label={label}
      // Takes the focus of a click on the background, and of removed items.
      tabIndex={-1}
      className="relative min-h-0 min-w-0 flex-1 focus-visible:outline-none"
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const id = event.target.closest('.react-flow__node')?.getAttribute('data-id');
        if (id != null) setActive(id);
      }}
    >
      <GraphMarkers />
      <ReactFlow<AgentNodeType, RouteEdgeType>
        className="system-graph !absolute inset-0"
        nodes={items.nodes}
        edges={items.edges}
        {...connections}
        onInit={(made) => {
          const ready = begin(made);
          onReady?.(ready);
        }}
        onMoveStart={onMoveStart}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeDragStop={onDragStop}
        onSelectionDragStop={onDragStop}
        onNodeDoubleClick={(_, node) => onOpen?.(node.id)}
        {...(onMenu && { onNodeContextMenu: menuHandler(onMenu) })}
        elementsSelectable={onSelect !== undefined}
        onlyRenderVisibleElements={model.nodes.length > MANY_NODES}
        {...SETTINGS}
      >
        <div aria-hidden className="contents">
          <Background variant={BackgroundVariant.Dots} gap={20} size={1.4} />
        </div>
        {notes && <CanvasNotes {...notes} />}
        <Panel position="bottom-right">
          <ZoomControls onFit={() => handle.current?.fit()} onActualSize={() => handle.current?.actualSize()} onStep={keep} />
        </Panel>
        {(minimap ?? model.nodes.length >= MAP_NODES_MIN) && <MiniMap {...MAP} />}
        {legend && (
          <Panel position="bottom-left">
            <GraphLegend />
          </Panel>
        )}
      </ReactFlow>
      {children}
    </div>
  );
}
