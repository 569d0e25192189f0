// Renders a part of the console at an address, with a router in memory and a query client of its own.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { act, render, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect } from 'vitest';
import { NavigationContext } from '../ui/link/navigation.ts';

export interface RenderedAt {
  readonly queryClient: QueryClient;
  /** The current address, with its parameters. */
  readonly address: () => string;
  readonly go: (href: string) => Promise<void>;
  readonly back: () => Promise<void>;
}

/** `path` is the route that the addresses match, with its parameters: `/n/$ns/$plural`. */
export async function renderAt(href: string, part: () => ReactNode, path = '/$'): Promise<RenderedAt> {
  const root = createRootRoute();
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path, component: part })]),
    history: createMemoryHistory({ initialEntries: [href] }),
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const navigation = { go: (to: string) => void router.navigate({ href: to }) };
  render(
    <QueryClientProvider client={queryClient}>
      <NavigationContext value={navigation}>
        <RouterProvider router={router} />
      </NavigationContext>
    </QueryClientProvider>,
  );
  const arrived = () => waitFor(() => expect(router.state.status).toBe('idle'));
  await arrived();
  return {
    queryClient,
    address: () => router.state.location.href,
    go: async (to) => {
      await act(() => router.navigate({ href: to }));
      await arrived();
    },
    back: async () => {
      act(() => router.history.back());
      await arrived();
    },
  };
}
