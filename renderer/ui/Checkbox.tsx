// A yes or no that belongs to a form, or the mark of a selected row.
import { Check, Minus } from 'lucide-react';
import { Checkbox as Primitive } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { cn } from './cn.ts';
import { useFieldAttributes } from './field-context.ts';

export interface CheckboxProps {
  readonly checked: boolean | 'some';
  readonly onChange: (checked: boolean) => void;
  /** Seen beside the box. */
  readonly label?: ReactNode;
  /** Its name when nothing is written beside it. */
  readonly 'aria-label'?: string;
  readonly disabled?: boolean;
  readonly tabIndex?: number;
  readonly className?: string;
}

export function Checkbox({ checked, onChange, label, className, ...rest }: CheckboxProps) {
  const own = useId();
  const field = useFieldAttributes();
  const id = field.id ?? own;
  const box = (
    <Primitive.Root
      {...field}
      {...rest}
      id={id}
      checked={checked === 'some' ? 'indeterminate' : checked}
      onCheckedChange={(next) => onChange(next === true)}
      className="relative inline-flex size-4 shrink-0 items-center justify-center rounded-sm border border-border-strong bg-surface text-on-accent transition-colors after:absolute after:-inset-1 disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
    >
      <Primitive.Indicator>
        {checked === 'some' ? <Minus className="size-3" /> : <Check className="size-3" strokeWidth={3} />}
      </Primitive.Indicator>
    </Primitive.Root>
  );
  if (label === undefined) return box;
  return (
    <span className={cn('inline-flex items-start gap-2', className)}>
      <span className="flex h-5 items-center">{box}</span>
      <label htmlFor={id} className="text-base text-text">
        {label}
      </label>
    </span>
  );
}
