// Focus across page changes: none for the first page, to the page for each later one.
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { usePageChange } from './use-page-change.ts';

function Shell() {
  usePageChange();
  return (
    <main id="main" tabIndex={-1}>
      <Outlet />
    </main>
  );
}

test('the first page takes no focus, however late its code loads; the next one does', async () => {
  let arrive: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  const root = createRootRoute({ component: Shell });
  const page = (path: string, loader?: () => Promise<void>) =>
    createRoute({ getParentRoute: () => root, path, component: () => path, ...(loader && { loader }) });
  const router = createRouter({
    routeTree: root.addChildren([page('/n/default/tasks', () => arrival), page('/n/default/agents')]),
    history: createMemoryHistory({ initialEntries: ['/n/default/tasks'] }),
  });
  render(<RouterProvider router={router} />);
  arrive();
  expect(await screen.findByText('/n/default/tasks')).toBeDefined();
  await waitFor(() => expect(router.state.resolvedLocation?.pathname).toBe('/n/default/tasks'));
  expect(document.activeElement).toBe(document.body);
  act(() => router.history.push('/n/default/agents'));
  expect(await screen.findByText('/n/default/agents')).toBeDefined();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
});
