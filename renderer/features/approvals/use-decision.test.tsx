// A decision on its way: what is sent is what was chosen, of what stood there then.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toolApproval } from './test-approvals.ts';
import { HOLD_MS, useDecision, type Extra } from './use-decision.ts';

const sent = vi.hoisted(() => vi.fn(() => new Promise(() => undefined)));
vi.mock('../../live/api.ts', () => ({ api: {}, client: { approvals: { decide: { mutate: sent } } } }));

beforeEach(() => {
  vi.useFakeTimers();
  sent.mockClear();
});
afterEach(() => void vi.useRealTimers());

const approval = toolApproval({});
const NOTHING: Extra = {};

function setup() {
  const queryClient = new QueryClient();
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const useOne = ({ extra, comment }: { readonly extra: Extra; readonly comment: string }) =>
    useDecision({ approval, risk: 'low', extra, comment, onDecided: () => undefined });
  return renderHook(useOne, { wrapper, initialProps: { extra: NOTHING, comment: '' } });
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('goes out once after the wait', async () => {
  const { result } = setup();
  act(() => result.current.choose('approved'));
  await pass(HOLD_MS + 10);
  act(() => result.current.confirm());
  expect(sent).toHaveBeenCalledTimes(1);
});

test('an input that is edited while it waits is not what was chosen: nothing is sent', async () => {
  const { result, rerender } = setup();
  act(() => result.current.choose('approved'));
  await pass(HOLD_MS - 100);
  rerender({ extra: { input: { half: 'writ' } }, comment: '' });
  await pass(HOLD_MS * 2);
  expect(result.current.stage.name).toBe('idle');
  expect(sent).not.toHaveBeenCalled();
});

test('a comment that is being written is not cut off by the end of the wait', async () => {
  const { result, rerender } = setup();
  act(() => result.current.choose('denied'));
  await pass(HOLD_MS - 100);
  rerender({ extra: NOTHING, comment: 'too ex' });
  await pass(HOLD_MS - 100);
  expect(sent).not.toHaveBeenCalled();
  rerender({ extra: NOTHING, comment: 'too expensive' });
  await pass(HOLD_MS + 10);
  expect(sent).toHaveBeenCalledWith(expect.objectContaining({ comment: 'too expensive', decision: 'denied' }));
});
