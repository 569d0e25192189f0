// Sequences of keys while a list has the focus.
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClient } from '../live/query-client.ts';
import { useShortcut } from './use-shortcut.ts';
import { useShortcutKeys } from './use-shortcut-keys.ts';

const opens = vi.fn();
const rowKey = vi.fn();

function Page() {
  useShortcutKeys();
  useShortcut({ id: 'go.models', keys: 'g m', label: 'Go to Models', run: opens });
  return (
    <div role="grid" aria-label="rows" tabIndex={0} onKeyDown={({ key }) => key === 'm' && rowKey()}>
      row
    </div>
  );
}

afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.clearAllMocks();
});

test('the last key of a sequence is not a key of the focused row', () => {
  render(<Page />, { wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider> });
  const grid = screen.getByRole('grid');
  fireEvent.keyDown(grid, { key: 'g' });
  fireEvent.keyDown(grid, { key: 'm' });
  expect(opens).toHaveBeenCalledTimes(1);
  expect(rowKey).not.toHaveBeenCalled();
  fireEvent.keyDown(grid, { key: 'm' });
  expect(rowKey).toHaveBeenCalledTimes(1);
});
