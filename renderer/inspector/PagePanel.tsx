// A panel of the page itself at its right. While the inspector is open it is hidden, with its content unchanged.
import type { ComponentProps } from 'react';
import { useCovered } from './covered.ts';

export interface PagePanelProps extends Omit<ComponentProps<'aside'>, 'hidden'> {
  readonly 'aria-label': string;
}

export function PagePanel(props: PagePanelProps) {
  // eslint-disable-next-line no-restricted-syntax -- Hidden while the inspector is open.
  return <aside {...props} hidden={useCovered()} />;
}
