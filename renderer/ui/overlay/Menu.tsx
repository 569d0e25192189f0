// A menu of actions under a button. Its panel loads after the first screen, so that the button itself costs nothing.
import { Suspense, useState, type ReactNode } from 'react';
import { LazyTrigger } from './LazyTrigger.tsx';
import type { MenuItem } from './menu-items.ts';
import { lazyPart } from '../lazy-part.ts';

export interface MenuProps {
  /** One element that takes a ref: the button. */
  readonly trigger: ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'center' | 'end';
  /** Content above the items: the signed-in person, for example. */
  readonly header?: ReactNode;
}

const MenuPanel = lazyPart(async () => (await import('./MenuPanel.tsx')).MenuPanel);

export function Menu(props: MenuProps) {
  const [wanted, setWanted] = useState(false);
  return (
    <Suspense
      fallback={
        <LazyTrigger popup="menu" onWanted={() => setWanted(true)}>
          {props.trigger}
        </LazyTrigger>
      }
    >
      <MenuPanel {...props} startsOpen={wanted} />
    </Suspense>
  );
}
