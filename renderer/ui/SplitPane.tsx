// Two panes and the bar between them, resizable by pointer and keyboard.
import type { ReactNode } from 'react';
import { cn } from './cn.ts';
import { Separator } from './Separator.tsx';
import { useResizable } from './use-resizable.ts';

export interface SplitPaneProps {
  readonly label: string;
  readonly axis?: 'x' | 'y';
  /** Size in px of the measured pane. */
  readonly initial: number;
  readonly min?: number;
  readonly max?: number;
  /** The measured pane; the other takes the rest. */
  readonly sized?: 'first' | 'second';
  readonly storageKey?: string;
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** Minimum of the other pane in pixels, whatever size was stored on a larger screen. */
  readonly rest?: number;
  readonly className?: string;
}

export function SplitPane(props: SplitPaneProps) {
  const { label, axis = 'x', initial, min = 160, max = 1200, sized = 'first', storageKey, first, second, rest, className } = props;
  const { size, separator } = useResizable({ initial, min, max, axis, storageKey, direction: sized === 'first' ? 1 : -1 });
  const most = rest === undefined ? undefined : `calc(100% - ${rest}px)`;
  const style = axis === 'x' ? { width: size, maxWidth: most } : { height: size, maxHeight: most };
  const pane = 'relative flex min-h-0 min-w-0 flex-col overflow-hidden';
  return (
    <div className={cn('flex min-h-0 min-w-0 flex-1', axis === 'x' ? 'flex-row' : 'flex-col', className)}>
      <div className={cn(pane, sized === 'first' ? 'max-w-full shrink-0' : 'flex-1')} style={sized === 'first' ? style : undefined}>
        {first}
      </div>
      <Separator label={label} {...separator} />
      <div className={cn(pane, sized === 'second' ? 'max-w-full shrink-0' : 'flex-1')} style={sized === 'second' ? style : undefined}>
        {second}
      </div>
    </div>
  );
}
