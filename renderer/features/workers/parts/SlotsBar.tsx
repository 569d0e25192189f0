// Number of taken slots, as bar and text.
import { cn } from '../../../ui/cn.ts';
import { FILL, type Tone } from '../../../ui/status/tone.ts';

export interface SlotsBarProps {
  readonly taken: number;
  readonly slots: number;
  /** Accessible name: "Slots of worker a". */
  readonly label: string;
  readonly className?: string;
}

function toneOf(share: number): Tone {
  return share >= 1 ? 'warn' : 'accent';
}

export function SlotsBar({ taken, slots, label, className }: SlotsBarProps) {
  const share = slots === 0 ? 0 : Math.min(1, taken / slots);
  return (
    <span className={cn('flex min-w-0 items-center gap-2', className)}>
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={slots}
        aria-valuenow={taken}
        aria-valuetext={`${taken} of ${slots} taken`}
        className="h-1.5 min-w-8 flex-1 overflow-hidden rounded-full bg-neutral-soft forced-color-adjust-none"
      >
        <span className={cn('block h-full rounded-full', FILL[toneOf(share)])} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="text-sm whitespace-nowrap text-muted tabular-nums">
        {taken} of {slots}
      </span>
    </span>
  );
}
