// Banner about a lost connection, as a screen reader gets it: the loss once, the age on demand, and the return.
import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { connection } from '../../live/connection.ts';
import { LiveRegion } from '../../ui/feedback/LiveRegion.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';

test('a loss is announced without its growing age, and the return is announced', () => {
  vi.useFakeTimers();
  try {
    connection.synced();
    connection.received();
    render(
      <>
        <ConnectionBanner />
        <LiveRegion />
      </>,
    );
    act(() => void connection.closed(1006));
    act(() => void vi.advanceTimersByTime(5_000));
    const age = screen.getByRole('timer');
    expect(age.closest('[role="status"]')?.textContent).toMatch(/^The server does not answer/);
    act(() => void connection.synced());
    act(() => void vi.advanceTimersByTime(1_000));
    expect(screen.getByText('Connected to the server again').getAttribute('role')).toBe('status');
  } finally {
    vi.useRealTimers();
  }
});
