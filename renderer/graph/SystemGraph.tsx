// The picture of an AgentSystem, to read: from its spec and annotations, with a run over it where one is given. Load it lazily, by `lazyPart`: it
// includes the canvas library.
import { useMemo, type ReactNode } from 'react';
import type { GraphSelection } from './canvas-items.ts';
import { GraphCanvas, type GraphHandle } from './GraphCanvas.tsx';
import { LAYOUT_ANNOTATION, readLayout } from './layout.ts';
import type { RunOverlay } from './overlay.ts';
import { readSystem } from './read-system.ts';
import { systemGraph } from './system-graph.ts';
import type { TrialMarks } from './trial-marks.ts';
import { useAgentFacts } from './use-agent-summaries.ts';
import { OVERVIEW_ZOOM_MIN } from './view.ts';

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
  readonly minimap?: boolean;
  readonly legend?: boolean;
  readonly onReady?: (handle: GraphHandle) => void;
  readonly children?: ReactNode;
}

/** Fills its parent, which must have a height (`flex-1` in a column is enough). */
export function SystemGraph({ namespace, spec, annotations, ...rest }: SystemGraphProps) {
  const system = useMemo(() => readSystem(spec), [spec]);
  const model = useMemo(() => systemGraph(system), [system]);
  const names = useMemo(() => model.nodes.map(({ id }) => id), [model]);
  const facts = useAgentFacts(namespace, names);
  const annotation = annotations?.[LAYOUT_ANNOTATION];
  const placement = useMemo(() => readLayout(annotation), [annotation]);
  return <GraphCanvas {...rest} zoomMin={OVERVIEW_ZOOM_MIN} model={model} facts={facts} placement={placement} />;
}
