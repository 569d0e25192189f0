// A short hint on hover and focus. Never the only place of something one must know.
import { Tooltip as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './Kbd.tsx';

export interface TooltipProps {
  readonly text: ReactNode;
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  /** One element that takes a ref and can have focus. */
  readonly children: ReactNode;
}

export function Tooltip({ text, keys, side = 'top', children }: TooltipProps) {
  return (
    <Primitive.Provider delayDuration={350} skipDelayDuration={200}>
      <Primitive.Root>
        <Primitive.Trigger asChild>{children}</Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            side={side}
            sideOffset={5}
            collisionPadding={8}
            className="z-50 flex max-w-80 animate-pop items-center gap-2 rounded-md bg-tooltip px-2 py-1 text-sm text-pretty break-words text-on-tooltip shadow-overlay"
          >
            {text}
            {keys && <Kbd keys={keys} />}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  );
}
