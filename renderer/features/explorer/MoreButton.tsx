// The three dots that open a menu of actions. Lighter than an IconButton, since every row of a list has one.
import { MoreHorizontal } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from '../../ui/cn.ts';

export interface MoreButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  readonly label: string;
}

export function MoreButton({ label, className, ...rest }: MoreButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      data-row-menu
      aria-label={label}
      title={label}
      className={cn(
        'inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text data-[state=open]:bg-hover data-[state=open]:text-text',
        className,
      )}
    >
      <MoreHorizontal aria-hidden className="size-4" />
    </button>
  );
}
