// Two panes and the bar between them, resizable by pointer and keyboard.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';
import { Separator } from './Separator.tsx';
import { useResizable } from './use-resizable.ts';

/** Classes of a pane in print, where panes are below each other and whole. */
export const PRINTED_PANE = 'print:h-auto! print:max-h-none! print:w-auto! print:max-w-none! print:overflow-visible';

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
  /** Pane that is hidden; it stays mounted, and so does the other one. */
  readonly folded?: 'first' | 'second' | undefined;
  readonly className?: string;
}

export function SplitPane(props: SplitPaneProps) {
  const { label, axis = 'x', initial, min = 160, max = 1200, sized = 'first', storageKey, first, second, rest, folded, className } = props;
  const { size, separator } = useResizable({ initial, min, max, axis, storageKey, direction: sized === 'first' ? 1 : -1 });
  const most = rest === undefined ? undefined : `calc(100% - ${rest}px)`;
  const style = axis === 'x' ? { width: size, maxWidth: most } : { height: size, maxHeight: most };
  const paneOf = (which: 'first' | 'second') => {
    const measured = which === sized && folded === undefined;
    return {
      hidden: folded === which,
      className: cn(
        'relative min-h-0 min-w-0 flex-col overflow-hidden',
        folded !== which && 'flex',
        measured ? 'max-w-full shrink-0' : 'flex-1',
        PRINTED_PANE,
      ),
      style: measured ? style : undefined,
    };
  };
  return (
    <div className={cn('flex min-h-0 min-w-0 flex-1 print:flex-col', axis === 'x' ? 'flex-row' : 'flex-col', className)}>
      <div {...paneOf('first')}>{first}</div>
      {folded === undefined && <Separator label={label} {...separator} />}
      <div {...paneOf('second')}>{second}</div>
    </div>
  );
}
