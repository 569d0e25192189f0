// How often data is read, and that two presses in quick succession, as on a slow machine, are one write.
import { QueryClientProvider, useMutation } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Button } from '../ui/button/Button.tsx';
import { pollInterval, queryClient } from './query-client.ts';

test('a button is busy before the next press', async () => {
  const write = vi.fn(() => new Promise<void>(() => undefined));
  const Form = () => {
    const { mutate, isPending } = useMutation({ mutationFn: write });
    return (
      <Button busy={isPending} onClick={() => mutate()}>
        Start
      </Button>
    );
  };
  render(
    <QueryClientProvider client={queryClient}>
      <Form />
    </QueryClientProvider>,
  );
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const button = screen.getByRole('button', { name: 'Start' });
  button.click();
  // A press is a task of its own; only work done before its end counts.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  button.click();
  await expect.poll(() => button.getAttribute('aria-busy')).toBe('true');
  expect(write).toHaveBeenCalledTimes(1);
  vi.unstubAllGlobals();
});

test('visible data is read again every 5 seconds without a stream, and less often while it fails or the server is away', () => {
  const phases = ['live', 'connecting', 'reconnecting'] as const;
  expect(phases.map((phase) => pollInterval(phase, false))).toEqual([false, 5_000, 30_000]);
  expect(phases.map((phase) => pollInterval(phase, true))).toEqual([false, 30_000, 30_000]);
});
