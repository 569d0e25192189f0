// Details at the right of a page that stays in use: resizable, Escape closes, focus returns to its earlier place. On narrow screens it covers the page.
import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from '../button/IconButton.tsx';
import { Separator } from '../layout/Separator.tsx';
import { focusFirst, placesOf } from './use-focus-return.ts';
import { SidePanel } from './SidePanel.tsx';
import { useResizable } from '../layout/use-resizable.ts';

export interface InspectorProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Another panel has its place: it is hidden, with its content unchanged. */
  readonly covered: boolean;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly storageKey?: string;
  /** Takes focus when it opens. Off where arrow keys keep moving in the list. */
  readonly takesFocus?: boolean;
  /** Element that gets the focus back, or its container once it is removed; the focused one when the inspector is mounted, if undefined or null. Must keep its identity. */
  readonly opener?: (() => Element | null) | undefined;
  /** Names the content. When it changes and the focused element was removed, the inspector takes the focus. */
  readonly subject?: string;
  readonly children: ReactNode;
}

export function Inspector({
  title,
  onClose,
  covered,
  actions,
  storageKey = 'inspector',
  takesFocus = false,
  opener,
  subject,
  children,
}: InspectorProps) {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const { size, separator } = useResizable({ initial: 440, min: 300, max: 900, axis: 'x', direction: -1, storageKey });
  useEffect(() => {
    const before = placesOf(opener?.() ?? document.activeElement);
    if (takesFocus) panel.current?.focus();
    return () => focusFirst(before);
  }, [takesFocus, opener]);
  useEffect(() => {
    if (takesFocus && document.activeElement === document.body) panel.current?.focus();
  }, [subject, takesFocus]);
  return (
    <SidePanel
      ref={panel}
      covered={covered}
      tabIndex={-1}
      aria-labelledby={id}
      style={{ width: size }}
      className="flex max-w-[min(100%,60vw)] min-w-0 shrink-0 bg-surface focus-visible:outline-none max-md:fixed max-md:inset-0 max-md:z-30 max-md:!w-full max-md:!max-w-none"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Separator label="Width of the inspector" {...separator} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-border pr-3 pl-6 max-sm:pl-4">
          <h2 id={id} className="min-w-0 flex-1 truncate text-md font-semibold">
            {title}
          </h2>
          {actions}
          <IconButton label="Close inspector" shortcut="escape" icon={<X />} size="sm" onClick={onClose} />
        </header>
        <div className="@container min-h-0 flex-1 overflow-y-auto">{children}</div>
      </div>
    </SidePanel>
  );
}
