// During a navigation the address already names the next page: the shown page must neither take its namespace nor navigate away from it.
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router';
import { act, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { useGoOn } from '../navigation/own-location.ts';
import { RouterNavigation } from './RouterNavigation.tsx';
import { useScope } from '../navigation/scope.ts';

const Scope = ({ of }: { readonly of: string }) => `${of}: ${useScope().scope}`;

/** Two pages; the second, `workers`, is mounted when `arrive` is called. */
async function setup(contents: (name: string) => ReactNode) {
  let arrive: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  const root = createRootRoute({
    component: () => (
      <>
        <p>
          <Scope of="shell" />
        </p>
        <Outlet />
      </>
    ),
  });
  const page = (path: string, loader?: () => Promise<void>) =>
    createRoute({ getParentRoute: () => root, path, component: () => contents(path.slice(7)), ...(loader && { loader }) });
  const router = createRouter({
    routeTree: root.addChildren([page('/n/$ns/tasks'), page('/n/$ns/workers', () => arrival), page('/n/$ns/made')]),
    history: createMemoryHistory({ initialEntries: ['/n/one/tasks'] }),
    defaultPendingMs: 60_000,
  });
  render(
    <RouterNavigation router={router}>
      <RouterProvider router={router} />
    </RouterNavigation>,
  );
  await screen.findByText(/^tasks/);
  return { router, arrive };
}

test('the page being left keeps its namespace until the next is mounted; the shell switches first', async () => {
  const { router, arrive } = await setup((name) => <Scope of={name} />);
  expect(screen.getByText('tasks: one')).toBeDefined();
  act(() => router.history.push('/n/two/workers'));
  expect(await screen.findByText('shell: two')).toBeDefined();
  expect(screen.getByText('tasks: one')).toBeDefined();
  arrive();
  expect(await screen.findByText('workers: two')).toBeDefined();
});

test('an answer navigates from the page that requested it only', async () => {
  const ways: ((href: string) => boolean)[] = [];
  const Page = ({ name }: { readonly name: string }) => {
    ways.push(useGoOn());
    return name;
  };
  const { router, arrive } = await setup((name) => <Page name={name} />);
  const late = ways.at(-1);
  act(() => router.history.push('/n/one/workers'));
  expect(late?.('/n/one/made')).toBe(false);
  arrive();
  await screen.findByText('workers');
  expect(late?.('/n/one/made')).toBe(false);
  expect(ways.at(-1)?.('/n/one/made')).toBe(true);
  expect(await screen.findByText('made')).toBeDefined();
});
