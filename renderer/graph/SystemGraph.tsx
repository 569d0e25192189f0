// The picture of an AgentSystem, to read: from its spec and annotations, with a run over it where one is given. Load it lazily, by `lazyPart`: it
// includes the canvas library.
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { GraphSelection } from './canvas-items.ts';
import { GraphCanvas } from './GraphCanvas.tsx';
import { boxesOf, LAYOUT_ANNOTATION, readLayout, type Direction, type Placement, type Size } from './layout.ts';
import { cardSizes } from './node-size.ts';
import type { RunOverlay } from './overlay.ts';
import { readSystem } from './read-system.ts';
import { systemGraph, type SystemGraphModel } from './system-graph.ts';
import type { TrialMarks } from './trial-marks.ts';
import { useAgentFacts } from './use-agent-summaries.ts';
import { fittingZoom, OVERVIEW_ZOOM_MIN, RUN_ZOOM_MIN } from './view.ts';

export interface SystemGraphProps {
  /** Its name for screen readers: "Graph of service-desk". */
  readonly label: string;
  /** Namespace in which the system's agents are looked up. */
  readonly namespace: string;
  /** `spec` of the AgentSystem, in any state. */
  readonly spec: unknown;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly overlay?: RunOverlay | undefined;
  /** Breakpoints and pins of the run's trial. */
  readonly marks?: TrialMarks | undefined;
  readonly selection?: GraphSelection | undefined;
  /** Without it nothing can be selected. Agents are identified by name, routes by the ids of system-graph.ts. */
  readonly onSelect?: ((selection: GraphSelection) => void) | undefined;
  /** Enter on the selected agent, or a double click. */
  readonly onOpen?: ((agent: string) => void) | undefined;
  /** Runs from top to bottom where the frame shows it larger so; positions set by hand stay. */
  readonly turns?: boolean;
}

/** Fills its parent, which must have a height (`flex-1` in a column is enough). */
export function SystemGraph({ namespace, spec, annotations, turns = false, ...rest }: SystemGraphProps) {
  const system = useMemo(() => readSystem(spec), [spec]);
  const model = useMemo(() => systemGraph(system), [system]);
  const names = useMemo(() => model.nodes.map(({ id }) => id), [model]);
  const facts = useAgentFacts(namespace, names);
  const annotation = annotations?.[LAYOUT_ANNOTATION];
  const placed = useMemo(() => readLayout(annotation), [annotation]);
  const frame = useRef<HTMLDivElement>(null);
  const [screen, setScreen] = useState<Size>();
  useLayoutEffect(() => setScreen(frame.current?.getBoundingClientRect()), []);
  const placement = useMemo(() => (turns && screen ? turned(model, placed, screen) : placed), [turns, model, placed, screen]);
  return (
    <div ref={frame} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {screen && (
        <GraphCanvas {...rest} zoomMin={turns ? RUN_ZOOM_MIN : OVERVIEW_ZOOM_MIN} model={model} facts={facts} placement={placement} />
      )}
    </div>
  );
}

function turned(model: SystemGraphModel, placed: Placement, screen: Size): Placement {
  if (placed.positions.size > 0) return placed;
  const sizes = cardSizes(model);
  const zoomOf = (direction: Direction) => fittingZoom(boxesOf(model, sizes, { ...placed, direction }), screen);
  const other = placed.direction === 'LR' ? 'TB' : 'LR';
  return zoomOf(other) > zoomOf(placed.direction) ? { ...placed, direction: other } : placed;
}
