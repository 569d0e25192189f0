// An icon button: its label is its accessible name and its tooltip.
import type { ComponentProps, ReactNode } from 'react';
import { buttonStyle, type ButtonStyle } from './button-style.ts';
import { cn } from '../cn.ts';
import { Spinner } from '../feedback/Spinner.tsx';
import { Tooltip } from '../overlay/Tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'>, ButtonStyle {
  readonly label: string;
  readonly icon: ReactNode;
  /** Keys of the same action, shown in the tooltip. */
  readonly shortcut?: string | undefined;
  readonly busy?: boolean | undefined;
  readonly disabledReason?: string | undefined;
}

const SQUARE = { sm: 'w-6 px-0', md: 'w-control px-0', lg: 'w-9 px-0' } as const;

export function IconButton(props: IconButtonProps) {
  const { label, icon, shortcut, busy, disabledReason, variant = 'ghost', size, className, onClick, type = 'button', ...rest } = props;
  const blocked = disabledReason !== undefined || busy === true;
  return (
    <Tooltip
      describes={disabledReason !== undefined}
      text={disabledReason ?? label}
      keys={disabledReason === undefined ? shortcut : undefined}
    >
      <button
        {...rest}
        type={type}
        aria-label={label}
        aria-disabled={blocked || undefined}
        className={cn(buttonStyle({ variant, size }), SQUARE[size ?? 'md'], className)}
        onClick={blocked ? undefined : onClick}
      >
        {busy ? <Spinner className="text-current" /> : icon}
      </button>
    </Tooltip>
  );
}
