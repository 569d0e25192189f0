// Details at the right of a list that stays in use: resizable, Escape closes, focus goes back to where it came from.
import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from './IconButton.tsx';
import { Separator } from './Separator.tsx';
import { useResizable } from './use-resizable.ts';

export interface InspectorProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly initialWidth?: number;
  readonly storageKey?: string;
  /** Takes focus when it opens. Off where arrow keys keep moving in the list. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

export function Inspector({
  title,
  onClose,
  actions,
  initialWidth = 440,
  storageKey = 'inspector',
  takesFocus = false,
  children,
}: InspectorProps) {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const { size, separator } = useResizable({ initial: initialWidth, min: 300, max: 900, axis: 'x', direction: -1, storageKey });
  useEffect(() => {
    const before = document.activeElement;
    if (takesFocus) panel.current?.focus();
    return () => {
      const lost = document.activeElement === document.body || document.activeElement === null;
      if (lost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [takesFocus]);
  return (
    <>
      <Separator label="Width of the details" {...separator} />
      <aside
        ref={panel}
        tabIndex={-1}
        aria-labelledby={id}
        style={{ width: size }}
        className="flex max-w-full min-w-0 shrink-0 flex-col bg-surface focus-visible:outline-none max-md:fixed max-md:inset-0 max-md:z-30 max-md:!w-full"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.stopPropagation();
          onClose();
        }}
      >
        <header className="flex h-11 shrink-0 items-center gap-2 border-b border-border px-4">
          <h2 id={id} className="min-w-0 flex-1 truncate text-md font-semibold">
            {title}
          </h2>
          {actions}
          <IconButton label="Close details" shortcut="escape" icon={<X />} size="sm" onClick={onClose} />
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      </aside>
    </>
  );
}
