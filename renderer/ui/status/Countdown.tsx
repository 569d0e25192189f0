// The time left until an expiry. Under a minute it turns urgent; screen readers announce it at five minutes, one minute and the end only.
import { Timer, TimerOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { announce } from '../feedback/announcer.ts';
import { useNow } from './clock.ts';
import { cn } from '../cn.ts';
import { formatCountdown, formatInstant } from './format.ts';

export interface CountdownProps {
  readonly until: string | number;
  /** Subject of the announcement: "Approval of erp.delete". */
  readonly label: string;
  readonly className?: string;
}

const MINUTE = 60_000;

/** The announcement due between two readings of the clock, if any. */
export function announcementBetween(beforeMs: number, nowMs: number, label: string): string | undefined {
  const crossed = (bound: number) => beforeMs > bound && nowMs <= bound;
  if (crossed(0)) return `${label} has expired`;
  if (crossed(MINUTE)) return `${label} expires in 1 minute`;
  if (crossed(5 * MINUTE)) return `${label} expires in 5 minutes`;
  return undefined;
}

export function Countdown({ until, label, className }: CountdownProps) {
  const end = typeof until === 'number' ? until : Date.parse(until);
  const left = end - useNow(1000);
  const before = useRef(left);
  useEffect(() => {
    const announced = announcementBetween(before.current, left, label);
    before.current = left;
    if (announced) announce(announced);
  }, [left, label]);
  const urgent = left < MINUTE;
  const Icon = left <= 0 ? TimerOff : Timer;
  return (
    <span
      role="timer"
      aria-live="off"
      title={Number.isFinite(end) ? `Expires ${formatInstant(end, 'local')}` : undefined}
      className={cn(
        'inline-flex items-center gap-1 whitespace-nowrap tabular-nums',
        urgent ? 'font-semibold text-danger' : 'text-muted',
        className,
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {left <= 0 ? 'Expired' : formatCountdown(left)}
    </span>
  );
}
