// One line of text.
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '../cn.ts';
import { useFieldAttributes } from './field-context.ts';
import { INPUT_STYLE } from './input-style.ts';

export interface InputProps extends ComponentProps<'input'> {
  /** An icon at the start. */
  readonly icon?: ReactNode;
  /** Names, expressions and other text that people compare letter by letter. */
  readonly mono?: boolean;
}

export function Input({ icon, mono, className, ...rest }: InputProps) {
  const field = useFieldAttributes();
  const input = (
    <input
      autoComplete="off"
      spellCheck={false}
      {...field}
      {...rest}
      className={cn(INPUT_STYLE, 'read-only:bg-sunken h-control px-2.5', mono && 'font-mono text-sm', icon != null && 'pl-8', className)}
    />
  );
  if (icon == null) return input;
  return (
    <span className="relative block min-w-0">
      <span aria-hidden className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint [&_svg]:size-4">
        {icon}
      </span>
      {input}
    </span>
  );
}
