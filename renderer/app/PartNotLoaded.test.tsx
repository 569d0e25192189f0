// Parts of a page whose code fails to load.
import { act, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '../live/connection.ts';
import { lazyPart, PartFailure } from '../ui/lazy-part.ts';
import { LazyBoundary } from './LazyBoundary.tsx';
import { PartNotLoaded } from './PartNotLoaded.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Duration of all retries of one load. */
const pass = () => act(() => vi.advanceTimersByTimeAsync(5_000));
const Editor = () => 'the editor';

async function show() {
  act(() => connection.synced());
  const load = vi.fn<() => Promise<typeof Editor>>(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  const Part = lazyPart(load);
  const Panel = lazyPart(() =>
    Promise.resolve(() => (
      <>
        <input aria-label="Comment" />
        <Suspense>
          <Part />
        </Suspense>
      </>
    )),
  );
  render(
    <PartFailure value={PartNotLoaded}>
      <LazyBoundary named="inspector" open>
        <Panel />
      </LazyBoundary>
    </PartFailure>,
  );
  await pass();
  await pass();
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'typed' } });
  return load;
}
const typed = () => screen.getByRole<HTMLInputElement>('textbox').value;

test('a part whose code fails to load leaves the page around it, and a retry loads it', async () => {
  const load = await show();
  expect(screen.getByText(/This part could not be loaded/)).toBeDefined();
  load.mockImplementation(() => Promise.resolve(Editor));
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await pass();
  expect(screen.getByText(/the editor/)).toBeDefined();
  expect(typed()).toBe('typed');
});

test('a part whose code fails to load is loaded when the server is back', async () => {
  const load = await show();
  act(() => connection.closed(1006));
  expect(screen.getByText(/The part is loaded as soon as it does/)).toBeDefined();
  load.mockImplementation(() => Promise.resolve(Editor));
  act(() => connection.synced());
  await pass();
  expect(screen.getByText(/the editor/)).toBeDefined();
  expect(typed()).toBe('typed');
});
