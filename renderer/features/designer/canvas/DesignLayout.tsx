// Layout of the designer: side by side with separators, or one below the other where the window is narrow.
import { useState, type ReactNode } from 'react';
import { useCovered } from '../../../inspector/covered.ts';
import { useMovable } from '../../../ui/layout/use-movable.tsx';
import { SplitPane } from '../../../ui/layout/SplitPane.tsx';
import { useNarrow } from './use-narrow.ts';

export interface DesignLayoutProps {
  readonly left: ReactNode;
  readonly canvas: ReactNode;
  readonly inspector: ReactNode;
  /** Whether the inspector is open. */
  readonly details: boolean;
  /** Undefined while it is closed. */
  readonly yaml: ReactNode | undefined;
  /** Whether the left part is open. */
  readonly outline: boolean;
  /** Results of a run, below the canvas; undefined without one. */
  readonly results: ReactNode | undefined;
}

/** The canvas leaves a part of the next one visible, to scroll by: on a touch screen it takes the finger itself. */
function Stacked({ left, canvas, inspector, yaml, outline, results }: DesignLayoutProps) {
  return (
    <div className="flex min-h-56 flex-1 flex-col overflow-y-auto">
      <div hidden={!outline} className="h-80 shrink-0 border-b border-border">
        <div className="flex h-full flex-col">{left}</div>
      </div>
      <div className="flex h-[72%] min-h-40 shrink-0 flex-col">{canvas}</div>
      {results !== undefined && <div className="flex h-80 shrink-0 flex-col border-t border-border">{results}</div>}
      {yaml !== undefined && <div className="flex h-80 shrink-0 flex-col border-t border-border">{yaml}</div>}
      <div className="shrink-0 border-t border-border">{inspector}</div>
    </div>
  );
}

/** True from the first time on that a pane is open: what nobody has seen yet is not drawn. */
function useOpened(open: boolean): boolean {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened;
}

function SideBySide({ left, canvas, inspector, details, yaml, outline, results }: DesignLayoutProps) {
  const outlined = useOpened(outline);
  const detailed = useOpened(details);
  const covered = useCovered();
  const middle = (
    <SplitPane
      label="Height of the results"
      axis="y"
      sized="second"
      initial={240}
      min={120}
      rest={160}
      storageKey="designer-results"
      folded={results === undefined ? 'second' : undefined}
      first={canvas}
      second={results}
    />
  );
  const side = (
    <SplitPane
      label="Height of the YAML"
      axis="y"
      initial={380}
      min={120}
      storageKey="designer-yaml"
      folded={yaml === undefined ? 'first' : details ? undefined : 'second'}
      first={yaml}
      second={detailed ? inspector : undefined}
    />
  );
  const right = (
    <SplitPane
      label="Width of the inspector"
      sized="second"
      initial={400}
      min={300}
      max={1000}
      rest={240}
      storageKey="designer-inspector"
      folded={!covered && (details || yaml !== undefined) ? undefined : 'second'}
      first={middle}
      second={side}
    />
  );
  return (
    <SplitPane
      label="Width of the outline"
      initial={250}
      min={180}
      max={480}
      storageKey="designer-outline"
      folded={outline ? undefined : 'first'}
      first={outlined ? left : undefined}
      second={right}
    />
  );
}

/**
 * Panes that were closed stay mounted, so that the canvas keeps its view when one opens beside it. The inspector and the YAML keep what was
 * typed, in dialogs too, when the window becomes narrow or wide, as by turning a tablet.
 */
export function DesignLayout(props: DesignLayoutProps) {
  const Layout = useNarrow() ? Stacked : SideBySide;
  const inspector = useMovable(props.inspector);
  const yaml = useMovable(props.yaml);
  return (
    <>
      <Layout {...props} inspector={inspector.place} yaml={props.yaml === undefined ? undefined : yaml.place} />
      {inspector.content}
      {yaml.content}
    </>
  );
}
