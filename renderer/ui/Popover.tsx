// A small panel beside what opened it.
import { Popover as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';

export interface PopoverProps {
  /** One element that takes a ref: the button. */
  readonly trigger: ReactNode;
  /** The panel's name. */
  readonly label: string;
  readonly align?: 'start' | 'center' | 'end';
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Popover({ trigger, label, align = 'start', side = 'bottom', open, onOpenChange, className, children }: PopoverProps) {
  return (
    <Primitive.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            'z-50 max-h-[min(28rem,var(--radix-popover-content-available-height))] max-w-[calc(100vw-1rem)] min-w-56 animate-pop overflow-auto rounded-lg bg-raised p-3 shadow-overlay focus-visible:outline-none',
            className,
          )}
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
