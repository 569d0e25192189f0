// Implementation of Popover: opening, focus, placing. A chunk of its own.
import { Popover as Primitive } from 'radix-ui';
import { cn } from '../cn.ts';
import type { PopoverProps } from './Popover.tsx';

export interface PopoverPanelProps extends PopoverProps {
  /** Whether the button was pressed before this was loaded. */
  readonly startsOpen: boolean;
}

export function PopoverPanel(props: PopoverPanelProps) {
  const { trigger, label, align = 'start', open, onOpenChange, startsOpen, className, children } = props;
  return (
    <Primitive.Root defaultOpen={startsOpen} {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align={align}
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
