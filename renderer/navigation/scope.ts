// The namespace of the address: the one this page reads, and the scope of the shell.
import { useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ALL_NAMESPACES, scopeOf } from './addresses.ts';
import { lastNamespace } from './last-namespace.ts';
import { useOwnLocation } from './own-location.ts';

export interface Scope {
  /** As in the address; `-` for all. First argument of links. */
  readonly scope: string;
  /** Namespace for queries: undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Default namespace of new objects: the scope's namespace, or the last one for all. */
  readonly home: string;
}

/**
 * The namespace picker's setting. On an object's page that was opened from all namespaces it is still all. During a navigation the old page
 * keeps its own; the shell around it switches first.
 */
export function useScope(): Scope {
  const { pathname, searchStr: search } = useOwnLocation();
  return useMemo(() => {
    const scope = scopeOf(pathname, search)?.scope ?? lastNamespace();
    const all = scope === ALL_NAMESPACES;
    return { scope, namespace: all ? undefined : scope, home: all ? lastNamespace() : scope };
  }, [pathname, search]);
}

/** A parameter of the page's own address, such as `name` or `plural`; empty where the address has none. */
export function useAddressParam(name: 'ns' | 'name' | 'plural'): string {
  return useRouterState({
    select: (state) => ((state.matches.at(-1)?.params ?? {}) as Readonly<Record<string, string | undefined>>)[name] ?? '',
  });
}
