// The button. A disabled one gives the reason.
import type { ComponentProps, ReactNode } from 'react';
import { buttonStyle, type ButtonStyle } from './button-style.ts';
import { cn } from '../cn.ts';
import { Spinner } from '../feedback/Spinner.tsx';
import { Tooltip } from '../overlay/Tooltip.tsx';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'>, ButtonStyle {
  readonly icon?: ReactNode;
  /** Waits for an answer: shows a spinner and ignores further presses. */
  readonly busy?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  /** Reason why it cannot be pressed now. The button stays focusable, so that everybody can read the reason. */
  readonly disabledReason?: string | undefined;
}

export function Button(props: ButtonProps) {
  const { variant, size, icon, busy, disabled, disabledReason, className, children, onClick, type = 'button', ...rest } = props;
  const blocked = disabledReason !== undefined || busy === true;
  const button = (
    <button
      {...rest}
      {...(type === 'submit' && { 'data-submit': true })}
      type={blocked && type === 'submit' ? 'button' : type}
      className={cn(buttonStyle({ variant, size }), className)}
      disabled={disabled}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      onClick={blocked ? undefined : onClick}
    >
      {busy ? <Spinner className="text-current" /> : icon}
      {children}
    </button>
  );
  return disabledReason === undefined ? button : <Tooltip text={disabledReason}>{button}</Tooltip>;
}
