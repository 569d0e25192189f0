// The address of the page that asks: while another page is on its way, the browser's address is that page's already.
import { rootRouteId, useMatch, useRouter, useRouterState, type ParsedLocation } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useNavigation } from '../ui/navigation.ts';
import { decodeSegment } from './addresses.ts';

/** A path as paths are compared: matches and locations escape differently. */
export const bare = (pathname: string): string => decodeSegment(pathname).replace(/\/+$/, '');

/** The path of the page that asks, bare; undefined in the shell around all pages. */
export function useOwnPath(): string | undefined {
  return useMatch({ strict: false, select: ({ routeId, pathname }) => (routeId === rootRouteId ? undefined : bare(pathname)) });
}

/** The location of the page that asks; in the shell the newest, which may be that of a page on its way. */
export function useOwnLocation(): ParsedLocation {
  const own = useOwnPath();
  return useRouterState({
    select: ({ location, resolvedLocation = location }) =>
      (own === undefined || bare(location.pathname) === own ? location : resolvedLocation) as ParsedLocation,
  });
}

/** Where the answer to a write leads, which may come late: goes there unless its page has been left meanwhile, and says whether it did. */
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
