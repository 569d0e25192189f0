// Zoom of the canvas: smaller, larger, the current size, and all of it. Under the pointer as well as by keys.
import { useReactFlow, useViewport } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import { IconButton } from '../ui/button/IconButton.tsx';

const STEP = { duration: 120 } as const;

export interface ZoomControlsProps {
  readonly onFit: () => void;
  readonly onActualSize: () => void;
  /** Called before a step, which counts as a move by hand. */
  readonly onStep: () => void;
}

export function ZoomControls({ onFit, onActualSize, onStep }: ZoomControlsProps) {
  const { zoomIn, zoomOut } = useReactFlow();
  const { zoom } = useViewport();
  const step = (move: typeof zoomIn) => () => {
    onStep();
    void move(STEP);
  };
  return (
    <div role="group" aria-label="Zoom" className="flex items-center gap-0.5 rounded-md border border-border bg-raised p-0.5 shadow-raised">
      <IconButton size="sm" label="Zoom out" icon={<Minus />} onClick={step(zoomOut)} />
      <button
        type="button"
        title="Actual size"
        aria-label={`Actual size, now ${Math.round(zoom * 100)} %`}
        onClick={onActualSize}
        className="h-6 min-w-11 rounded-sm px-1 text-sm tabular-nums hover:bg-hover"
      >
        {Math.round(zoom * 100)} %
      </button>
      <IconButton size="sm" label="Zoom in" icon={<Plus />} onClick={step(zoomIn)} />
      <IconButton size="sm" label="Fit" icon={<Maximize />} onClick={onFit} />
    </div>
  );
}
