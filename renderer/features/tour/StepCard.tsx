// The frame of a step: subject, content, next action. Its heading takes the focus when the step begins.
import { useEffect, useRef, type ReactNode } from 'react';
import { cn } from '../../ui/cn.ts';

export interface StepCardProps {
  readonly title: string;
  readonly text: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions: ReactNode;
  /** Fills the height of the page, so that its buttons are visible. */
  readonly filled?: boolean;
}

export function StepCard({ title, text, children, actions, filled = false }: StepCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section
      className={cn('overflow-hidden rounded-xl border border-border bg-surface shadow-raised', filled && 'flex min-h-0 flex-1 flex-col')}
    >
      <header className={cn('px-6 max-sm:px-4', filled ? 'pt-3 pb-2' : 'pt-6 pb-4')}>
        <h2 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight text-balance focus-visible:outline-none">
          {title}
        </h2>
        <div className="mt-1 max-w-prose text-md text-pretty text-muted">{text}</div>
      </header>
      {children}
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-border bg-sunken px-6 py-3 max-sm:px-4">
        {actions}
      </footer>
    </section>
  );
}
