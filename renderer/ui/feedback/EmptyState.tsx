// Reason for an empty place, with one action. A failure is an ErrorCard, never this.
import { Inbox, ListFilter, Lock, WifiOff, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

type EmptyCause = 'none' | 'filtered' | 'forbidden' | 'offline';

export interface EmptyStateProps {
  readonly cause: EmptyCause;
  readonly title: string;
  /** One sentence. */
  readonly children?: ReactNode;
  /** One primary action. */
  readonly action?: ReactNode;
  /** Link to a guide. */
  readonly guide?: ReactNode;
  /** A sample to try: one to apply, a command to copy. */
  readonly sample?: ReactNode;
  readonly icon?: ReactNode;
  /** 1 for a whole page. */
  readonly level?: 1 | 2;
  readonly className?: string;
}

const ICONS: Readonly<Record<EmptyCause, LucideIcon>> = { none: Inbox, filtered: ListFilter, forbidden: Lock, offline: WifiOff };

export function EmptyState({ cause, title, children, guide, action, sample, icon, level = 2, className }: EmptyStateProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  const Icon = ICONS[cause];
  return (
    <div data-empty={cause} className={cn('mx-auto flex max-w-md flex-col items-center px-6 py-14 text-center', className)}>
      <span
        aria-hidden
        className="mb-4 flex size-10 items-center justify-center rounded-lg border border-border bg-surface text-faint shadow-raised [&_svg]:size-5"
      >
        {icon ?? <Icon />}
      </span>
      <Heading className="text-md font-semibold text-balance [overflow-wrap:anywhere] text-text">{title}</Heading>
      {children != null && (
        <div className="mt-1 text-base text-pretty [overflow-wrap:anywhere] text-muted first-letter:uppercase">{children}</div>
      )}
      {guide != null && <div className="mt-2 text-base">{guide}</div>}
      {action != null && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
      {sample != null && <div className="mt-6 w-full text-left">{sample}</div>}
    </div>
  );
}
