// A time in the person's format: age, local or UTC. The exact time is shown on hover.
import { serverNow } from '../../live/server-clock.ts';
import { useNow } from './clock.ts';
import { cn } from '../cn.ts';
import { formatAge, formatDateTime, formatInstant } from './format.ts';
import { useTimeMode } from './time-mode.ts';

export interface TimeProps {
  /** ISO text or ms; nothing shows a dash. */
  readonly at: string | number | undefined | null;
  /** Adds "ago" for use in a sentence. */
  readonly sentence?: boolean;
  readonly className?: string;
}

export function Time({ at, sentence, className }: TimeProps) {
  const mode = useTimeMode();
  const instant = typeof at === 'number' ? at : Date.parse(at ?? '');
  if (!Number.isFinite(instant)) return <span className={cn('text-faint', className)}>–</span>;
  return (
    <time dateTime={new Date(instant).toISOString()} title={bothZones(instant)} className={cn('whitespace-nowrap tabular-nums', className)}>
      {mode === 'relative' ? (
        <Relative instant={instant} sentence={sentence === true} />
      ) : (
        formatDateTime(instant, mode === 'utc' ? 'UTC' : 'local')
      )}
    </time>
  );
}

const bothZones = (instant: number) => `${formatInstant(instant, 'local')}\n${formatInstant(instant, 'UTC')}`;

function Relative({ instant, sentence }: { readonly instant: number; readonly sentence: boolean }) {
  // Times older than an hour change once a minute, and a table holds many of these.
  const now = useNow(Math.abs(serverNow() - instant) > 3_600_000 ? 60_000 : 1000);
  const age = formatAge(instant, now);
  return sentence && instant < now && age !== 'now' ? `${age} ago` : age;
}
