// The row of controls above a list.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface ToolbarProps {
  readonly label: string;
  /** Content at the right end. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Toolbar({ label, aside, className, children }: ToolbarProps) {
  return (
    <div role="group" aria-label={label} className={cn('flex flex-wrap items-start gap-2 px-6 py-2 max-sm:px-4', className)}>
      <div className="flex min-w-0 flex-[1_1_16rem] flex-wrap items-center gap-2">{children}</div>
      {aside != null && <div className="flex items-center gap-2">{aside}</div>}
    </div>
  );
}
