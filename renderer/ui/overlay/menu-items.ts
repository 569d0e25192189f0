// Items of a menu, be it under a button or at the pointer.
import type { ReactNode } from 'react';

export interface MenuAction {
  readonly id: string;
  readonly label: ReactNode;
  readonly icon?: ReactNode;
  readonly shortcut?: string | undefined;
  readonly danger?: boolean;
  /** Shown under the label; the action cannot be chosen. */
  readonly disabledReason?: string | undefined;
  /** Present in actions that are on or off. */
  readonly checked?: boolean;
  /** The menu stays open, so that several can be switched. */
  readonly keepOpen?: boolean;
  readonly onSelect: () => void;
}

export type MenuItem = MenuAction | { readonly heading: string } | 'separator';

export const MENU_PANEL =
  'z-50 max-h-[min(28rem,var(--radix-popper-available-height))] max-w-[calc(100vw-1rem)] min-w-48 animate-pop overflow-auto rounded-lg bg-raised p-1 shadow-overlay';
export const MENU_ITEM =
  'flex min-h-7 w-full select-none items-center gap-2 rounded-md px-2 py-1 text-base text-text outline-none data-[disabled]:text-muted data-[highlighted]:bg-hover data-[highlighted]:forced-colors:outline-2 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted';
