// Several lines of text, growing with their content.
import type { ComponentProps } from 'react';
import { cn } from '../cn.ts';
import { useFieldAttributes } from './field-context.ts';
import { INPUT_STYLE } from './input-style.ts';

export interface TextareaProps extends ComponentProps<'textarea'> {
  readonly mono?: boolean;
}

export function Textarea({ mono, className, ...rest }: TextareaProps) {
  const field = useFieldAttributes();
  return (
    <textarea
      rows={3}
      {...field}
      {...rest}
      className={cn(
        INPUT_STYLE,
        'read-only:bg-sunken field-sizing-content max-h-[50vh] min-h-16 px-2.5 py-1.5',
        mono && 'font-mono text-sm',
        className,
      )}
    />
  );
}
