// The bar between two panes that can be dragged, or moved by arrow keys.
import type { ComponentProps } from 'react';
import { cn } from '../cn.ts';

export interface SeparatorProps extends ComponentProps<'div'> {
  readonly label: string;
}

export function Separator({ label, className, ...rest }: SeparatorProps) {
  const upright = rest['aria-orientation'] === 'vertical';
  return (
    <div
      {...rest}
      aria-label={label}
      className={cn(
        'group relative z-10 shrink-0 touch-none bg-border print:hidden transition-colors hover:bg-accent focus-visible:bg-accent focus-visible:outline-hidden forced-colors:bg-[CanvasText]',
        upright
          ? 'w-px cursor-col-resize after:absolute after:inset-y-0 after:-inset-x-1.5'
          : 'h-px cursor-row-resize after:absolute after:inset-x-0 after:-inset-y-1.5',
        className,
      )}
    />
  );
}
