// A size that is dragged or set by keys: shared by Inspector, Sheet and SplitPane.
import { useCallback, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { keep, readKept } from '../browser-storage.ts';

export interface ResizableOptions {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** `1` when the size grows to the right or down, `-1` when to the left or up. */
  readonly direction: 1 | -1;
  readonly axis: 'x' | 'y';
  /** The key under which this browser stores the size. */
  readonly storageKey?: string | undefined;
}

const STEP = 16;
const BIG_STEP = 64;

function remembered(key: string | undefined): number | undefined {
  const value = key === undefined ? undefined : readKept(`svc.size.${key}`);
  return typeof value === 'number' ? value : undefined;
}

function remember(key: string | undefined, value: number): void {
  if (key !== undefined) keep(`svc.size.${key}`, value);
}

/** The size in px, and the props of the separator. Without a storage key the size starts over with each mount. */
export function useResizable({ initial, min, max, direction, axis, storageKey }: ResizableOptions) {
  const clamp = useCallback((value: number) => Math.round(Math.min(max, Math.max(min, value))), [min, max]);
  const [size, setSize] = useState(() => clamp(remembered(storageKey) ?? initial));
  const drag = useRef<{ from: number; size: number } | undefined>(undefined);
  const set = (value: number) => {
    setSize(clamp(value));
    remember(storageKey, clamp(value));
  };
  const position = (event: PointerEvent) => (axis === 'x' ? event.clientX : event.clientY);
  const grow = axis === 'x' ? 'ArrowRight' : 'ArrowDown';
  const shrink = axis === 'x' ? 'ArrowLeft' : 'ArrowUp';
  const separator = {
    role: 'separator' as const,
    tabIndex: 0,
    'aria-orientation': axis === 'x' ? ('vertical' as const) : ('horizontal' as const),
    'aria-valuenow': size,
    'aria-valuemin': min,
    'aria-valuemax': max,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      // The menu of another button takes the release of the pointer.
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { from: position(event), size };
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag.current) setSize(clamp(drag.current.size + direction * (position(event) - drag.current.from)));
    },
    onPointerUp: () => {
      drag.current = undefined;
      remember(storageKey, size);
    },
    onDoubleClick: () => set(initial),
    onKeyDown: (event: KeyboardEvent) => {
      const step = event.shiftKey ? BIG_STEP : STEP;
      const moves: Record<string, number> = {
        [grow]: size + direction * step,
        [shrink]: size - direction * step,
        Home: min,
        End: max,
      };
      const next = moves[event.key];
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      set(next);
    },
  };
  return { size, separator };
}
