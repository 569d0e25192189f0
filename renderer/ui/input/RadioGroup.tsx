// A choice out of a few, each with room for an explanation.
import { RadioGroup as Primitive } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { cn } from '../cn.ts';

interface RadioOption {
  readonly value: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

export interface RadioGroupProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly RadioOption[];
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

export function RadioGroup({ label, value, options, onChange, className }: RadioGroupProps) {
  const id = useId();
  return (
    <Primitive.Root aria-label={label} value={value} onValueChange={onChange} className={cn('flex flex-col gap-2', className)}>
      {options.map((option) => (
        <div key={option.value} className="flex items-start gap-2">
          <span className="flex h-5 items-center">
            <Primitive.Item
              id={`${id}-${option.value}`}
              value={option.value}
              disabled={option.disabled}
              aria-describedby={option.hint === undefined ? undefined : `${id}-${option.value}-hint`}
              className="relative inline-flex size-4 items-center justify-center rounded-full border border-border-strong bg-surface after:absolute after:-inset-1 disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
            >
              <Primitive.Indicator className="size-1.5 rounded-full bg-on-accent" />
            </Primitive.Item>
          </span>
          <div>
            <label htmlFor={`${id}-${option.value}`} className="text-base text-text">
              {option.label}
            </label>
            {option.hint !== undefined && (
              <p id={`${id}-${option.value}-hint`} className="text-sm text-muted">
                {option.hint}
              </p>
            )}
          </div>
        </div>
      ))}
    </Primitive.Root>
  );
}
