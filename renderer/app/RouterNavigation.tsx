// Gives the kit's links the router.
import type { AnyRouter } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { NavigationContext, type Navigation } from '../ui/link/navigation.ts';

export interface RouterNavigationProps {
  readonly router: AnyRouter;
  readonly children: ReactNode;
}

export function RouterNavigation({ router, children }: RouterNavigationProps) {
  const navigation = useMemo<Navigation>(
    () => ({
      go: (href, options) => void router.navigate({ href, replace: options?.replace === true }),
      preload: (href) => void router.preloadRoute({ to: href.replace(/[?#].*$/, '') }).catch(() => undefined),
      entry: () => ({ key: router.latestLocation.state.__TSR_key ?? '', pathname: router.latestLocation.pathname }),
    }),
    [router],
  );
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}
