// A part of a page under a heading, without a frame.
import { useId, type ReactNode } from 'react';

export interface SectionProps {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, description, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <header className="mb-2 flex flex-wrap items-end gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="text-md font-semibold">
            {title}
          </h2>
          {description != null && <p className="text-sm text-muted">{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}
