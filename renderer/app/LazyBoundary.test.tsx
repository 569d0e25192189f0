// Lazily loaded parts: one that fails to load leaves the page around it unchanged, reports the failure, and can be retried.
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '../live/connection.ts';
import { LazyBoundary } from './LazyBoundary.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Duration of all retries of one load. */
const pass = () => act(() => vi.advanceTimersByTimeAsync(5_000));
const Palette = () => 'the palette';
const lost = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
const show = (load: () => Promise<typeof Palette>, onClose?: () => void) => {
  const Part = lazyPart(load);
  render(
    <>
      the page
      <LazyBoundary named="command palette" open onClose={onClose}>
        <Part />
      </LazyBoundary>
    </>,
  );
};

test('a lost request is repeated', async () => {
  show(vi.fn(() => Promise.resolve(Palette)).mockImplementationOnce(lost));
  await pass();
  expect(screen.getByText(/the palette/)).toBeDefined();
});

test('a loaded part that throws is not reported as a chunk that failed to load', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const broken = () => {
    throw new RangeError('too deep');
  };
  show(() => Promise.resolve(broken as unknown as typeof Palette));
  await pass();
  expect(screen.getByText(/The command palette failed: too deep/)).toBeDefined();
  expect(screen.getByText(/the page/)).toBeDefined();
});

test('a chunk that fails to load is reported, the page stays, and a retry may succeed', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const load = vi.fn<() => Promise<typeof Palette>>(lost);
  show(load);
  await pass();
  expect(screen.getByText(/The command palette could not be loaded/)).toBeDefined();
  expect(screen.getByText(/the page/)).toBeDefined();
  load.mockImplementation(() => Promise.resolve(Palette));
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await pass();
  expect(screen.getByText(/the palette/)).toBeDefined();
});

/** The server stops, and returns. */
const loseServer = async () => {
  act(() => connection.synced());
  act(() => connection.closed(1006));
  act(() => connection.synced());
  await pass();
};

test('a permanent part loads when the server is back, even when its loss was noticed late', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  act(() => connection.synced());
  const load = vi.fn<() => Promise<typeof Palette>>(lost);
  show(load);
  await pass();
  load.mockImplementation(() => Promise.resolve(Palette));
  await loseServer();
  expect(screen.getByText(/the palette/)).toBeDefined();
});

test('a dialog that failed to load can be closed, and does not open by itself later', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  act(() => connection.synced());
  act(() => connection.closed(1006));
  const load = vi.fn<() => Promise<typeof Palette>>(lost);
  const onClose = vi.fn();
  show(load, onClose);
  await pass();
  load.mockImplementation(() => Promise.resolve(Palette));
  await loseServer();
  expect(screen.queryByText(/the palette/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(onClose).toHaveBeenCalledOnce();
});
