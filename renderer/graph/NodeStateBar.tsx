// State of one agent in a run, below its card.
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleSlash,
  Hourglass,
  Pin,
  type LucideIcon,
} from 'lucide-react';
import { Fragment } from 'react';
import { cn } from '../ui/cn.ts';
import { Duration } from '../ui/status/Duration.tsx';
import { formatCompact, formatDuration } from '../ui/status/format.ts';
import { SOFT, type Tone } from '../ui/status/tone.ts';
import { stateLabel, type NodeOverlay, type NodeState } from './overlay.ts';

const LOOKS: Readonly<Record<NodeState, { readonly icon: LucideIcon; readonly tone: Tone }>> = {
  idle: { icon: CircleDashed, tone: 'neutral' },
  running: { icon: CircleDot, tone: 'running' },
  waiting: { icon: Hourglass, tone: 'waiting' },
  succeeded: { icon: CircleCheck, tone: 'ok' },
  failed: { icon: CircleAlert, tone: 'danger' },
  denied: { icon: Ban, tone: 'warn' },
  cancelled: { icon: CircleSlash, tone: 'neutral' },
  skipped: { icon: CircleSlash, tone: 'neutral' },
};

export function NodeStateBar({ overlay }: { readonly overlay: NodeOverlay }) {
  const { icon, tone } = LOOKS[overlay.state];
  const Icon = overlay.stop !== undefined ? CirclePause : overlay.pinned !== undefined && overlay.state === 'succeeded' ? Pin : icon;
  const metrics = [
    overlay.arrived !== undefined && `${overlay.arrived} arrived`,
    overlay.attempt !== undefined && overlay.attempt > 1 && `×${overlay.attempt}`,
    overlay.growingFrom !== undefined ? (
      <Duration key="time" from={overlay.growingFrom} />
    ) : (
      overlay.elapsedMs !== undefined && formatDuration(overlay.elapsedMs)
    ),
    overlay.tokens !== undefined && overlay.tokens > 0 && `${formatCompact(overlay.tokens)} tok`,
  ].filter((metric) => metric !== false);
  return (
    <div className="absolute inset-x-0 top-full mt-1 flex justify-center">
      <span
        data-state={overlay.state}
        className={cn(
          'inline-flex h-6 max-w-full items-center gap-1 rounded-full px-2 text-md font-medium whitespace-nowrap tabular-nums shadow-raised',
          SOFT[tone],
        )}
      >
        <Icon aria-hidden className={cn('size-3.5 shrink-0', overlay.state === 'running' && 'animate-pulse-dot')} />
        <span className="truncate">
          {stateLabel(overlay)}
          {metrics.map((metric, index) => (
            <Fragment key={index}> · {metric}</Fragment>
          ))}
        </span>
      </span>
    </div>
  );
}
