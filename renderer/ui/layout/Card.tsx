// A framed part of a page with a heading of its own.
import { useId, type ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface CardProps {
  readonly title?: ReactNode;
  /** Name of the landmark where the title alone is not unique on its page. */
  readonly label?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for tables and code that reach the frame. */
  readonly flush?: boolean;
  readonly footer?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Card({ title, label, description, actions, flush, footer, className, children }: CardProps) {
  const id = useId();
  return (
    <section
      aria-label={label}
      aria-labelledby={title == null || label !== undefined ? undefined : id}
      className={cn('flex min-w-0 flex-col overflow-hidden rounded-lg border border-border bg-surface shadow-raised', className)}
    >
      {title != null && (
        <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border px-4 py-1.5">
          <div className="min-w-0 flex-1 basis-40">
            <h2 id={id} className="text-md font-semibold">
              {title}
            </h2>
            {description != null && <p className="text-sm text-muted">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={cn('min-h-0 flex-1', !flush && 'p-4')}>{children}</div>
      {footer != null && <footer className="border-t border-border px-4 py-2 text-sm text-muted">{footer}</footer>}
    </section>
  );
}
