// A choice out of a few, the platform's own: it works with every screen reader, keyboard and touch screen.
import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from '../cn.ts';
import { useFieldAttributes } from './field-context.ts';
import { INPUT_STYLE } from './input-style.ts';

interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

export interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'value' | 'multiple'> {
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onChange: (value: string) => void;
}

export function Select({ value, options, onChange, className, ...rest }: SelectProps) {
  const field = useFieldAttributes();
  return (
    <span className={cn('relative inline-block w-full min-w-0', className)}>
      <select
        {...field}
        {...rest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cn(INPUT_STYLE, 'h-control appearance-none truncate pr-7 pl-2.5')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled} className="bg-raised text-text">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronsUpDown aria-hidden className="pointer-events-none absolute inset-y-0 right-2 my-auto size-3.5 text-faint" />
    </span>
  );
}
