// The banner of an update: it appears with the event of the app, and shows the reason against an installation.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DesktopApi, UpdateState } from '@svc/shared/desktop-api';
import { UpdateBanner } from './UpdateBanner.tsx';

test('follows the events of the app, and shows the reason of a blocked installation', async () => {
  let state: UpdateState = { phase: 'idle', version: null, percent: null, message: null };
  let listener: (state: UpdateState) => void = () => undefined;
  const enter = (changes: Partial<UpdateState>) => {
    state = { ...state, ...changes };
    listener(state);
  };
  const desktop = {
    updates: {
      get: () => Promise.resolve(state),
      install: () => Promise.resolve(enter({ phase: 'blocked', message: '1 run is active' })),
    },
    onUpdate(added: typeof listener) {
      listener = added;
      return () => undefined;
    },
  } as unknown as DesktopApi;
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })}>
      <UpdateBanner desktop={desktop} />
    </QueryClientProvider>,
  );
  expect(screen.queryByText(/Version/)).toBeNull();
  enter({ phase: 'available', version: '2.0.0' });
  await screen.findByText('Version 2.0.0 is available.');
  fireEvent.click(screen.getByRole('button', { name: 'Restart to update' }));
  await screen.findByText('1 run is active');
});
