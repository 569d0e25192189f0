// A modal window. Focus stays inside, Escape closes, a click outside too until something was typed, focus returns to its opener.
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { IconButton } from '../button/IconButton.tsx';
import { takesSubmitKey } from '../input/submit-key.ts';
import { useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** Buttons, the main one last: Ctrl-Enter presses it. */
  readonly footer?: ReactNode;
  /** `full` takes the height of the window. */
  readonly size?: 'sm' | 'md' | 'lg' | 'xl' | 'full';
  /** False while a request is in flight and closing would leave its result unknown. */
  readonly closable?: boolean;
  readonly children?: ReactNode;
}

const PLACE = 'top-[min(12vh,8rem)] max-h-[calc(100dvh-2*min(12vh,8rem))]';
const SIZES = {
  sm: `${PLACE} max-w-sm`,
  md: `${PLACE} max-w-lg`,
  lg: `${PLACE} max-w-2xl`,
  xl: `${PLACE} max-w-5xl`,
  full: 'inset-y-4 max-w-7xl',
} as const;

/** Focuses the first field, or the element with `data-autofocus`; the close button is the last choice. */
function focusFirstControl(event: Event): void {
  const content = event.currentTarget as HTMLElement;
  const first =
    content.querySelector<HTMLElement>('[data-autofocus]') ??
    content.querySelector<HTMLElement>('input:not([type="hidden"], :disabled), textarea:not(:disabled), select:not(:disabled)');
  event.preventDefault();
  (first ?? content).focus();
}

/** Fields whose text only selects something. */
const SEARCHES = '[type="search"], [role="combobox"], [role="searchbox"]';

export function Dialog({ open, onClose, title, description, footer, size = 'md', closable = true, children }: DialogProps) {
  const giveBack = useFocusReturn(open);
  const footerRef = useRef<HTMLElement>(null);
  const hasText = useRef(false);
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && closable && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          onOpenAutoFocus={(event) => {
            hasText.current = false;
            focusFirstControl(event);
          }}
          onInput={({ target }) => {
            if (target instanceof Element && !target.matches(SEARCHES)) hasText.current = true;
          }}
          // A stray click must not discard what was typed; Escape and the buttons close.
          onPointerDownOutside={(event) => hasText.current && event.preventDefault()}
          onCloseAutoFocus={giveBack}
          onKeyDown={(event) => {
            if (footerRef.current && takesSubmitKey(event)) [...footerRef.current.querySelectorAll('button')].at(-1)?.click();
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
          className={cn(
            'fixed left-1/2 z-40 flex w-[calc(100vw-2rem)] -translate-x-1/2 animate-pop flex-col overflow-hidden rounded-xl bg-raised shadow-overlay focus-visible:outline-none forced-colors:border',
            SIZES[size],
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Primitive.Title className="text-lg font-semibold text-balance text-text">{title}</Primitive.Title>
              {description !== undefined && (
                <Primitive.Description className="mt-1 text-base text-muted">{description}</Primitive.Description>
              )}
            </div>
            {closable && <IconButton label="Close" icon={<X />} size="sm" onClick={onClose} />}
          </header>
          {children != null && <div className="-mt-1 min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-4">{children}</div>}
          {footer != null && footer !== false && (
            <footer ref={footerRef} className="flex flex-wrap items-center justify-end gap-2 border-t border-border bg-sunken px-5 py-3">
              {footer}
            </footer>
          )}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
