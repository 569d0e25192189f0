// Focus across page changes: none for the first page, to the page for each later one.
import { renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { usePageChange } from './use-page-change.ts';

interface Shown {
  location: { pathname: string };
  resolvedLocation?: { pathname: string };
}

const state = vi.hoisted(() => ({ router: {} as Shown }));
vi.mock('@tanstack/react-router', () => ({
  useRouterState: ({ select }: { readonly select: (router: Shown) => unknown }) => select(state.router),
}));

afterEach(() => document.body.replaceChildren());

test('the first page takes no focus, however late its code loads; the next one does', () => {
  const main = document.body.appendChild(document.createElement('main'));
  main.id = 'main';
  main.tabIndex = -1;
  state.router = { location: { pathname: '/n/default/tasks' } };
  const { rerender } = renderHook(() => usePageChange());
  state.router = { ...state.router, resolvedLocation: { pathname: '/n/default/tasks' } };
  rerender();
  expect(document.activeElement).toBe(document.body);
  state.router = { location: { pathname: '/n/default/agents' }, resolvedLocation: { pathname: '/n/default/agents' } };
  rerender();
  expect(document.activeElement).toBe(main);
});
