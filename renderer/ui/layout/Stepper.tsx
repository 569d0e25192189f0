// Position in a sequence of steps.
import { Check } from 'lucide-react';
import { cn } from '../cn.ts';

export interface StepperProps {
  readonly label: string;
  readonly steps: readonly { readonly id: string; readonly title: string }[];
  readonly current: string;
  readonly className?: string;
}

export function Stepper({ label, steps, current, className }: StepperProps) {
  const at = steps.findIndex((step) => step.id === current);
  return (
    <ol aria-label={label} className={cn('flex flex-wrap items-center gap-x-2 gap-y-1', className)}>
      {steps.map((step, index) => {
        const state = index < at ? 'done' : index === at ? 'now' : 'later';
        return (
          <li key={step.id} aria-current={state === 'now' ? 'step' : undefined} className="flex items-center gap-2 text-base">
            {index > 0 && <span aria-hidden className="h-px w-6 bg-border-strong/50" />}
            <span
              aria-hidden
              className={cn(
                'flex size-5 items-center justify-center rounded-full text-xs font-semibold tabular-nums [&_svg]:size-3',
                state === 'now' && 'bg-accent text-on-accent',
                state === 'done' && 'bg-accent-soft text-accent-text',
                state === 'later' && 'bg-neutral-soft text-neutral',
              )}
            >
              {state === 'done' ? <Check /> : index + 1}
            </span>
            <span className={state === 'now' ? 'font-medium text-text' : 'text-muted'}>
              {step.title}
              {state === 'done' && <span className="sr-only"> (done)</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
