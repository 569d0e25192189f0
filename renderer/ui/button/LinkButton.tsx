// A link to a page of the console that looks like a button.
import type { ReactNode } from 'react';
import { buttonStyle, type ButtonStyle } from './button-style.ts';
import { cn } from '../cn.ts';
import { Link, type LinkProps } from '../link/Link.tsx';

export interface LinkButtonProps extends Omit<LinkProps, 'look'>, ButtonStyle {
  readonly icon?: ReactNode;
}

export function LinkButton({ variant, size, icon, className, children, ...rest }: LinkButtonProps) {
  return (
    <Link {...rest} look="bare" className={cn(buttonStyle({ variant, size }), className)}>
      {icon}
      {children}
    </Link>
  );
}
