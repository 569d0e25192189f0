// Age of a worker's last report, ticking by the server's clock. Silence turns it urgent.
import { HeartPulse } from 'lucide-react';
import { useNow } from '../../ui/status/clock.ts';
import { cn } from '../../ui/cn.ts';
import { formatAge, formatInstant } from '../../ui/status/format.ts';

/** Three missed reports. */
const SILENT_MS = 30_000;

export interface HeartbeatAgeProps {
  /** ms; NaN when it never reported. */
  readonly at: number;
  /** The server considers it lost, however recent its report. */
  readonly lost: boolean;
}

export function HeartbeatAge({ at, lost }: HeartbeatAgeProps) {
  const now = useNow(1000);
  if (!Number.isFinite(at)) return <span className="text-faint">never</span>;
  const silent = lost || now - at > SILENT_MS;
  const age = formatAge(Math.min(at, now), now);
  return (
    <span
      title={formatInstant(at, 'local')}
      className={cn('inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums', silent ? 'font-medium text-danger' : 'text-text')}
    >
      <HeartPulse aria-hidden className={cn('size-3.5', silent ? 'text-danger' : 'text-ok')} />
      {age === 'now' ? 'just now' : `${age} ago`}
      {silent && <span className="sr-only">, silent</span>}
    </span>
  );
}
