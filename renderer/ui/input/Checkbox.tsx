// A checkbox of a form, or of a selected row. The platform's own box, which is cheap enough for a hundred in a table.
import { Check, Minus } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { useFieldAttributes } from './field-context.ts';

export interface CheckboxProps {
  readonly checked: boolean | 'some';
  readonly onChange: (checked: boolean) => void;
  /** Visible label beside the box. */
  readonly label?: ReactNode;
  /** Accessible name without a visible label. */
  readonly 'aria-label'?: string;
  readonly disabled?: boolean;
  readonly tabIndex?: number;
}

export function Checkbox({ checked, onChange, label, ...rest }: CheckboxProps) {
  const own = useId();
  const field = useFieldAttributes();
  const id = field.id ?? own;
  const some = checked === 'some';
  const Mark = some ? Minus : Check;
  const box = (
    <span className="relative inline-flex size-4 shrink-0 items-center justify-center">
      <input
        {...field}
        {...rest}
        ref={(input) => {
          if (input) input.indeterminate = some;
        }}
        id={id}
        type="checkbox"
        checked={checked === true}
        onChange={(event) => onChange(event.target.checked)}
        className={cn(
          'absolute inset-0 size-4 cursor-pointer appearance-none rounded-sm border border-border-strong bg-surface transition-colors after:absolute after:-inset-1.5 disabled:opacity-60 forced-colors:appearance-auto',
          checked !== false && 'border-accent bg-accent',
        )}
      />
      {checked !== false && (
        <Mark aria-hidden strokeWidth={3} className="pointer-events-none relative size-3 text-on-accent forced-colors:hidden" />
      )}
    </span>
  );
  if (label === undefined) return box;
  return (
    <span className="inline-flex items-start gap-2">
      <span className="flex h-5 items-center">{box}</span>
      <label htmlFor={id} className="text-base text-text">
        {label}
      </label>
    </span>
  );
}
