// An on/off setting, applied at once.
import { Switch as Primitive } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { useFieldAttributes } from './field-context.ts';

export interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly label?: ReactNode;
  readonly 'aria-label'?: string;
  readonly disabled?: boolean;
}

export function Switch({ checked, onChange, label, ...rest }: SwitchProps) {
  const own = useId();
  const field = useFieldAttributes();
  const id = field.id ?? own;
  return (
    <span className="inline-flex items-center gap-2">
      <Primitive.Root
        {...field}
        {...rest}
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        className="relative inline-flex h-4.5 w-8 shrink-0 items-center rounded-full bg-border-strong p-0.5 transition-colors after:absolute after:-inset-1 disabled:opacity-60 data-[state=checked]:bg-accent"
      >
        <Primitive.Thumb className="block size-3.5 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-3.5 data-[state=checked]:bg-on-accent" />
      </Primitive.Root>
      {label !== undefined && (
        <label htmlFor={id} className="text-base text-text">
          {label}
        </label>
      )}
    </span>
  );
}
