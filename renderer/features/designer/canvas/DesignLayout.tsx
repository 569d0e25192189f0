// Layout of the designer: side by side with separators, or one below the other where the window is narrow.
import type { ReactNode } from 'react';
import { SplitPane } from '../../../ui/SplitPane.tsx';
import { useNarrow } from './use-narrow.ts';

export interface DesignLayoutProps {
  readonly left: ReactNode;
  readonly canvas: ReactNode;
  readonly inspector: ReactNode;
  /** Undefined while it is closed. */
  readonly yaml: ReactNode | undefined;
  /** Whether the left part is open. */
  readonly outline: boolean;
}

/** The canvas leaves a part of the next one visible, to scroll by: on a touch screen it takes the finger itself. */
function Stacked({ left, canvas, inspector, yaml, outline }: DesignLayoutProps) {
  return (
    <div className="flex min-h-56 flex-1 flex-col overflow-y-auto">
      <div hidden={!outline} className="h-80 shrink-0 border-b border-border">
        <div className="flex h-full flex-col">{left}</div>
      </div>
      <div className="flex h-[72%] min-h-40 shrink-0 flex-col">{canvas}</div>
      {yaml !== undefined && <div className="flex h-80 shrink-0 flex-col border-t border-border">{yaml}</div>}
      <div className="shrink-0 border-t border-border">{inspector}</div>
    </div>
  );
}

function SideBySide({ left, canvas, inspector, yaml, outline }: DesignLayoutProps) {
  const below = yaml !== undefined && (
    <SplitPane label="Height of the YAML" axis="y" initial={380} min={120} storageKey="designer-yaml" first={yaml} second={inspector} />
  );
  const right = (
    <SplitPane
      label="Width of the inspector"
      sized="second"
      initial={370}
      min={260}
      max={900}
      storageKey="designer-inspector"
      first={canvas}
      second={below === false ? inspector : below}
    />
  );
  if (outline)
    return (
      <SplitPane label="Width of the outline" initial={250} min={180} max={480} storageKey="designer-outline" first={left} second={right} />
    );
  return (
    <div className="flex min-h-0 flex-1">
      <div hidden>{left}</div>
      {right}
    </div>
  );
}

export function DesignLayout(props: DesignLayoutProps) {
  return useNarrow() ? <Stacked {...props} /> : <SideBySide {...props} />;
}
