// Panel at the right of a page. Only one is visible there: another one's place is kept, with its content unchanged.
import type { ComponentProps } from 'react';

export interface SidePanelProps extends Omit<ComponentProps<'aside'>, 'hidden'> {
  /** Another panel is visible instead. */
  readonly covered: boolean;
}

export function SidePanel({ covered, ...props }: SidePanelProps) {
  // eslint-disable-next-line no-restricted-syntax -- The one aside.
  return <aside {...props} hidden={covered} />;
}
