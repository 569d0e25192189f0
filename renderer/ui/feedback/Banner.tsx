// A message for the whole page, in a line across it.
import { CircleAlert, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';
import { IconButton } from '../button/IconButton.tsx';
import { INK, SOFT, type Tone } from '../status/tone.ts';

export interface BannerProps {
  readonly tone: Extract<Tone, 'info' | 'warn' | 'danger' | 'waiting' | 'neutral' | 'ok'>;
  readonly icon?: ReactNode;
  readonly action?: ReactNode;
  readonly onDismiss?: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

const ICONS = { info: Info, neutral: Info, ok: Info, waiting: CircleAlert, warn: TriangleAlert, danger: CircleAlert } as const;

export function Banner({ tone, icon, action, onDismiss, className, children }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cn('flex min-h-9 items-center gap-2.5 px-4 py-1.5 text-base', SOFT[tone], className)}
    >
      <span aria-hidden className={cn('flex [&_svg]:size-4', INK[tone])}>
        {icon ?? <Icon />}
      </span>
      <div className="min-w-0 flex-1 text-text">{children}</div>
      {action}
      {onDismiss && <IconButton size="sm" label="Dismiss" icon={<X />} onClick={onDismiss} />}
    </div>
  );
}
