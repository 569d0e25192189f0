// The banner of paused work: it follows the events of the app, also one that comes while the state is read for the first time.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DesktopApi, WorkState } from '@svc/shared/desktop-api';
import { serve } from '../testing/fake-link.ts';
import { PausedBanner } from './PausedBanner.tsx';

test('a pause during the first reading of the state is shown', async () => {
  serve({});
  const answers: ((state: WorkState) => void)[] = [];
  let tell: () => void = () => undefined;
  const desktop = {
    work: { get: () => new Promise<WorkState>((resolve) => answers.push(resolve)) },
    onWork(listener: () => void) {
      tell = listener;
      return () => undefined;
    },
  } as unknown as DesktopApi;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PausedBanner desktop={desktop} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(answers).toHaveLength(1));
  tell();
  const answer = (paused: boolean): WorkState => ({ paused, limits: {} as WorkState['limits'] });
  answers[0]?.(answer(false));
  await waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(answer(true));
  await screen.findByText(/^Work is paused/);
});
