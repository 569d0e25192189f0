// A panel over the right side of the page that wants to be finished or closed first.
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './IconButton.tsx';
import { Separator } from './Separator.tsx';
import { useResizable } from './use-resizable.ts';

export interface SheetProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly footer?: ReactNode;
  readonly initialWidth?: number;
  readonly storageKey?: string;
  readonly children: ReactNode;
}

export function Sheet({ open, onClose, title, description, footer, initialWidth = 520, storageKey = 'sheet', children }: SheetProps) {
  const { size, separator } = useResizable({ initial: initialWidth, min: 320, max: 1100, axis: 'x', direction: -1, storageKey });
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          style={{ width: size }}
          className="fixed inset-y-0 right-0 z-40 flex max-w-full animate-slide-in bg-raised shadow-overlay focus-visible:outline-none"
        >
          <Separator label="Width of the panel" {...separator} />
          <div className="flex min-w-0 flex-1 flex-col">
            <header className="flex items-start gap-3 border-b border-border px-5 py-3">
              <div className="min-w-0 flex-1">
                <Primitive.Title className="text-lg font-semibold">{title}</Primitive.Title>
                {description !== undefined && (
                  <Primitive.Description className="mt-0.5 text-base text-muted">{description}</Primitive.Description>
                )}
              </div>
              <IconButton label="Close" shortcut="escape" icon={<X />} size="sm" onClick={onClose} />
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
            {footer != null && (
              <footer className="flex flex-wrap justify-end gap-2 border-t border-border bg-sunken px-5 py-3">{footer}</footer>
            )}
          </div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
