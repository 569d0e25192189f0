// A word or a number in a tone.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';
import { SOFT, type Tone } from './tone.ts';

export interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', icon, title, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={cn(
        'inline-flex h-5 max-w-full align-middle items-center gap-1 rounded-sm px-1.5 text-sm font-medium whitespace-nowrap tabular-nums forced-colors:border [&_svg]:size-3 [&_svg]:shrink-0',
        SOFT[tone],
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
