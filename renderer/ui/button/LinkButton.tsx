// A link to a page of the console that looks like a button.
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { buttonStyle, type ButtonStyle } from './button-style.ts';
import { cn } from '../cn.ts';
import { Link, type LinkProps } from '../link/Link.tsx';

export interface LinkButtonProps extends Omit<LinkProps, 'look'>, ButtonStyle {
  readonly icon?: ReactNode;
  /** Reason why it leads nowhere now. */
  readonly disabledReason?: string | undefined;
}

export function LinkButton({ variant, size, icon, className, disabledReason, children, ...rest }: LinkButtonProps) {
  if (disabledReason !== undefined) return <Button {...{ variant, size, icon, className, disabledReason }}>{children}</Button>;
  return (
    <Link {...rest} look="bare" className={cn(buttonStyle({ variant, size }), className)}>
      {icon}
      {children}
    </Link>
  );
}
