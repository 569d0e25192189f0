// A link to a page of the console. Addresses come from navigation/addresses.ts.
import type { ComponentProps } from 'react';
import { withBase } from './base-path.ts';
import { cn } from '../cn.ts';
import { isPlainClick, useNavigation } from './navigation.ts';

export interface LinkProps extends ComponentProps<'a'> {
  readonly href: string;
  /** `text` looks like a link, `quiet` only on hover, `bare` has no style. */
  readonly look?: 'text' | 'quiet' | 'bare';
}

const LOOKS = {
  text: 'text-accent-text underline-offset-2 hover:underline',
  quiet: 'text-text underline-offset-2 hover:text-accent-text hover:underline',
  bare: '',
} as const;

export function Link({ href, look = 'text', className, onClick, onPointerEnter, ...rest }: LinkProps) {
  const navigation = useNavigation();
  return (
    <a
      {...rest}
      href={withBase(href)}
      className={cn('rounded-xs', LOOKS[look], className)}
      onPointerEnter={(event) => {
        onPointerEnter?.(event);
        navigation.preload?.(href);
      }}
      onClick={(event) => {
        onClick?.(event);
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigation.go(href);
      }}
    />
  );
}
