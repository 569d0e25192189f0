// The address of the current page: during a navigation the browser's address already names the next page.
import { rootRouteId, useMatch, useRouter, useRouterState, type ParsedLocation } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useNavigation } from '../ui/link/navigation.ts';
import { decodeSegment } from './addresses.ts';

/** A path in comparable form: matches and locations escape differently. */
export const bare = (pathname: string): string => decodeSegment(pathname).replace(/\/+$/, '');

/** The path of the current page, bare; undefined in the shell around all pages. */
export function useOwnPath(): string | undefined {
  return useMatch({ strict: false, select: ({ routeId, pathname }) => (routeId === rootRouteId ? undefined : bare(pathname)) });
}

/** The location of the current page; in the shell the newest, which may be that of the next page. */
export function useOwnLocation(): ParsedLocation {
  const own = useOwnPath();
  return useRouterState({
    select: ({ location, resolvedLocation = location }) =>
      (own === undefined || bare(location.pathname) === own ? location : resolvedLocation) as ParsedLocation,
  });
}

/** Target of a possibly late answer to a write: navigates there unless its page has been left meanwhile, and returns whether it did. */
export function useGoOn(): (href: string) => boolean {
  const router = useRouter();
  const own = useOwnPath();
  const { go } = useNavigation();
  return useCallback(
    (href) => {
      if (bare(router.latestLocation.pathname) !== own) return false;
      go(href);
      return true;
    },
    [router, own, go],
  );
}
