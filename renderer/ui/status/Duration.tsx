// Duration of something; without an end it grows.
import { useNow } from './clock.ts';
import { cn } from '../cn.ts';
import { formatDuration } from './format.ts';

export type DurationProps =
  | { readonly ms: number | undefined; readonly from?: undefined; readonly to?: undefined; readonly className?: string }
  | {
      readonly from: string | number | undefined;
      readonly to?: string | number | undefined;
      readonly ms?: undefined;
      readonly className?: string;
    };

const instant = (at: string | number | undefined) => (typeof at === 'number' ? at : Date.parse(at ?? ''));

export function Duration({ ms, from, to, className }: DurationProps) {
  const start = instant(from);
  const running = ms === undefined && to === undefined && Number.isFinite(start);
  const span = ms ?? instant(to) - start;
  return (
    <span className={cn('whitespace-nowrap tabular-nums', className)}>{running ? <Growing start={start} /> : formatDuration(span)}</span>
  );
}

function Growing({ start }: { readonly start: number }) {
  const now = useNow(1000);
  return formatDuration(Math.max(0, now - start));
}
