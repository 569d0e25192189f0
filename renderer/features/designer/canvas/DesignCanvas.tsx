// The canvas of the designer: its drop targets, its empty state, and the run shown on it.
import { Workflow } from 'lucide-react';
import { useMemo, useState, type DragEvent, type ReactNode } from 'react';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { AgentFacts } from '../../../graph/agent-summary.ts';
import type { GraphProblem, GraphSelection } from '../../../graph/canvas-items.ts';
import { GraphCanvas, type GraphEditing, type GraphHandle } from '../../../graph/GraphCanvas.tsx';
import type { RunOverlay } from '../../../graph/overlay.ts';
import type { CanvasNotesProps } from '../../../graph/CanvasNotes.tsx';
import { NOTES_ANNOTATION, readNotes } from '../../../graph/notes.ts';
import { memberAt } from '../../../yaml/edit-value.ts';
import { keepNotes } from '../document/system-text.ts';
import { boxesOf, type Point } from '../../../graph/layout.ts';
import { cardSize, cardSizes } from '../../../graph/node-size.ts';
import type { DesignActions } from '../document/design-actions.ts';
import { CATALOGUE_DRAG, itemOf, type CatalogueItem } from '../agent/offer.ts';
import { AGENT_DRAG } from './Palette.tsx';
import { ShortcutKbd } from './ShortcutKbd.tsx';
import type { Design } from '../document/use-design.ts';
import type { TrialDesign } from '../run/use-trial-design.ts';
import type { DesignView } from './use-design-view.ts';

export interface DesignCanvasProps {
  readonly name: string;
  readonly design: Design;
  readonly actions: DesignActions;
  readonly view: DesignView;
  readonly facts: ReadonlyMap<string, AgentFacts>;
  readonly marks: ReadonlyMap<string, GraphProblem>;
  readonly overlay: RunOverlay | undefined;
  readonly trial: TrialDesign;
  readonly readOnly: boolean;
  /** An item of the catalogue was dropped on an agent. */
  readonly onGive: (agent: string, item: CatalogueItem) => void;
  readonly onReady: (handle: GraphHandle) => void;
  readonly onSelect: (selection: GraphSelection) => void;
  /** Enter on the selected agent, or a double click. */
  readonly onOpen: () => void;
  readonly canvas: () => GraphHandle | undefined;
  readonly children?: ReactNode;
}

/** Dropped agents are placed at the pointer. */
const centred = (at: Point, agent: string): Point => {
  const { width, height } = cardSize(agent);
  return { x: at.x - width / 2, y: at.y - height / 2 };
};

function useEditing({ design, actions, readOnly }: DesignCanvasProps): GraphEditing | undefined {
  return useMemo(() => {
    if (readOnly) return undefined;
    return {
      mayConnect: actions.mayConnect,
      onConnect: (source, target) => actions.connect(source, target),
      onConnectToEmpty: (from, at) => actions.pick({ for: 'connect', from, at }),
      onMove: (places) => {
        // When the first agent is moved by hand, all keep their positions: nothing else may jump.
        const boxes = boxesOf(design.model, cardSizes(design.model), design.placement);
        const all = new Map([...boxes].map(([id, { x, y }]) => [id, { x, y }] as const));
        design.move([...places.keys()], new Map([...(design.placement.positions.size === 0 ? all : []), ...places]));
      },
    };
  }, [design, actions, readOnly]);
}

function edgeUnder(event: DragEvent): string | undefined {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest('.react-flow__edge')?.getAttribute('data-id') ?? undefined;
}

function nodeUnder(event: DragEvent): string | undefined {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest('.react-flow__node')?.getAttribute('data-id') ?? undefined;
}

/** Agents land anywhere, in a route too; tools and models on an agent only. */
function useDrop({ design, actions, readOnly, onGive, canvas }: DesignCanvasProps) {
  const [dropEdge, setDropEdge] = useState<string>();
  const carries = (event: DragEvent) => !readOnly && event.dataTransfer.types.includes(AGENT_DRAG);
  const gives = (event: DragEvent) => (!readOnly && event.dataTransfer.types.includes(CATALOGUE_DRAG) ? nodeUnder(event) : undefined);
  return {
    dropEdge,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!carries(event) && gives(event) === undefined) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setDropEdge(carries(event) ? edgeUnder(event) : undefined);
      },
      onDragLeave: () => setDropEdge(undefined),
      onDrop: (event: DragEvent) => {
        const target = gives(event);
        const item = target === undefined ? undefined : itemOf(event.dataTransfer.getData(CATALOGUE_DRAG));
        if (target !== undefined && item) {
          event.preventDefault();
          onGive(target, item);
        }
        if (!carries(event)) return;
        event.preventDefault();
        setDropEdge(undefined);
        const agent = event.dataTransfer.getData(AGENT_DRAG);
        const edge = design.model.edges.find(({ id }) => id === edgeUnder(event));
        const at = canvas()?.toCanvas({ x: event.clientX, y: event.clientY });
        if (edge) actions.insert(agent, edge);
        else actions.add(agent, at && centred(at, agent));
      },
    },
  };
}

function useNotes({ design, readOnly }: DesignCanvasProps): CanvasNotesProps {
  const { value, run } = design;
  return useMemo(() => {
    const notes = readNotes(memberAt(value, ['metadata', 'annotations', NOTES_ANNOTATION]));
    return { notes, onChange: readOnly ? undefined : (label, next) => run(label, (text) => keepNotes(text, next)) };
  }, [value, run, readOnly]);
}

function FirstStep({ actions, view, readOnly }: Pick<DesignCanvasProps, 'actions' | 'view' | 'readOnly'>) {
  const { outline: listed } = view;
  return (
    <div className="absolute inset-0 flex items-center justify-center overflow-auto">
      <EmptyState
        cause="none"
        icon={<Workflow />}
        title={readOnly ? 'This system has no agents' : 'Add the first agent'}
        action={
          !readOnly && (
            <Button variant="primary" onClick={() => actions.pick({ for: 'add' })}>
              Add an agent
            </Button>
          )
        }
      >
        {!readOnly && (
          <span className="flex flex-col gap-2">
            <span>
              {listed ? 'Drag one from the list of agents, or choose' : 'Choose'} Add an agent
              <ShortcutKbd shortcut={{ id: 'designer.add', keys: 'a' }} before=" or press" /> and type its name. Agents run in the order in
              which you add them, until you connect them.
            </span>
          </span>
        )}
      </EmptyState>
    </div>
  );
}

export function DesignCanvas(props: DesignCanvasProps) {
  const { name, design, actions, view, facts, marks, overlay, trial, readOnly, onReady, onSelect, onOpen, children } = props;
  const editing = useEditing(props);
  const { dropEdge, handlers } = useDrop(props);
  const notes = useNotes(props);
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col" {...handlers}>
      {design.unreadable !== undefined && (
        <Banner tone="danger">The YAML is not valid, so the canvas shows the last valid version. {design.unreadable}</Banner>
      )}
      <div className={cn('relative flex min-h-0 min-w-0 flex-1', design.unreadable !== undefined && 'opacity-50 grayscale')}>
        <GraphCanvas
          label={`Canvas of ${name === '' ? 'the new system' : name}`}
          model={design.model}
          facts={facts}
          placement={design.placement}
          overlay={overlay}
          problems={overlay ? undefined : marks}
          marks={trial.marks}
          onMenu={trial.openMenu}
          selection={design.selection}
          onSelect={onSelect}
          onOpen={onOpen}
          editing={editing}
          dropEdge={dropEdge}
          minimap={view.minimap}
          legend={view.legend}
          notes={notes}
          onReady={onReady}
        >
          {design.model.nodes.length === 0 && <FirstStep actions={actions} view={view} readOnly={readOnly} />}
          {children}
        </GraphCanvas>
      </div>
    </div>
  );
}
