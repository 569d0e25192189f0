// Two presses in quick succession, as on a slow machine, are one write.
import { QueryClientProvider, useMutation } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Button } from '../ui/button/Button.tsx';
import { queryClient } from './query-client.ts';

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
