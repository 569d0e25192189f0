// Keys of a page: a sequence while a list has the focus, and Escape in a field.
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClient } from '../live/query-client.ts';
import { useShortcut } from './use-shortcut.ts';
import { useShortcutKeys } from './use-shortcut-keys.ts';

const opens = vi.fn();
const rowKey = vi.fn();

function Page({ children }: { readonly children: ReactNode }) {
  useShortcutKeys();
  useShortcut({ id: 'go.models', keys: 'g m', label: 'Go to Models', run: opens });
  return <main tabIndex={-1}>{children}</main>;
}

function show(children: ReactNode): void {
  render(<Page>{children}</Page>, {
    wrapper: (page) => <QueryClientProvider client={queryClient}>{page.children}</QueryClientProvider>,
  });
}

afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.clearAllMocks();
});

test('the last key of a sequence is not a key of the focused row', () => {
  show(
    <div role="grid" aria-label="rows" tabIndex={0} onKeyDown={({ key }) => key === 'm' && rowKey()}>
      row
    </div>,
  );
  const grid = screen.getByRole('grid');
  fireEvent.keyDown(grid, { key: 'g' });
  fireEvent.keyDown(grid, { key: 'm' });
  expect(opens).toHaveBeenCalledTimes(1);
  expect(rowKey).not.toHaveBeenCalled();
  fireEvent.keyDown(grid, { key: 'm' });
  expect(rowKey).toHaveBeenCalledTimes(1);
});

test('Escape leads from a field to the part of the page around it', () => {
  show(
    <div>
      <input aria-label="Search" />
    </div>,
  );
  const field = screen.getByRole('textbox', { name: 'Search' });
  field.focus();
  fireEvent.keyDown(field, { key: 'Escape' });
  expect(document.activeElement).toBe(screen.getByRole('main'));
});
