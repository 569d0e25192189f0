// A phase as icon, word and colour. Only running phases pulse.
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleSlash,
  CircleUser,
  Keyboard,
  LogOut,
  PencilLine,
  Plug,
  Skull,
  TimerOff,
  type LucideIcon,
} from 'lucide-react';
import { cn } from '../cn.ts';
import { phaseLook, type PhaseIcon } from './phases.ts';
import { INK, SOFT } from './tone.ts';

const ICONS: Readonly<Record<PhaseIcon, LucideIcon>> = {
  queued: CircleDashed,
  running: CircleDot,
  person: CircleUser,
  done: CircleCheck,
  ready: CircleCheck,
  failed: CircleAlert,
  dead: Skull,
  stopped: CircleSlash,
  paused: CirclePause,
  expired: TimerOff,
  connecting: Plug,
  draining: LogOut,
  unknown: CircleDashed,
  changes: PencilLine,
  input: Keyboard,
};

export interface PhasePillProps {
  readonly phase: string | undefined;
  /** The kind, for phases with a meaning of their own (approvals). */
  readonly kind?: string | undefined;
  /** `quiet` has no background, for dense tables. */
  readonly look?: 'pill' | 'quiet';
  readonly className?: string;
}

export function PhasePill({ phase, kind, look = 'pill', className }: PhasePillProps) {
  const { label, tone, icon } = phaseLook(phase, kind);
  const Icon = ICONS[icon];
  return (
    <span
      data-phase={phase}
      className={cn(
        'inline-flex h-5 max-w-full items-center gap-1 align-middle text-sm font-medium whitespace-nowrap',
        look === 'pill' ? cn('rounded-full pr-2 pl-1.5 forced-colors:border', SOFT[tone]) : INK[tone],
        className,
      )}
    >
      <Icon aria-hidden className={cn('size-3.5 shrink-0', icon === 'running' && 'animate-pulse-dot')} />
      <span className="truncate">{label}</span>
    </span>
  );
}
