// A decision in flight: the request matches the choice and the input on screen at that time.
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toast } from 'sonner';
import { api } from '../../../live/api.ts';
import { serve } from '../../../testing/fake-link.ts';
import { toolApproval } from '../../../testing/approvals.ts';
import { HOLD_MS, useDecision, type Extra } from './use-decision.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

const sent = vi.fn(() => new Promise(() => undefined));
/** Texts of the toasts that are shown. */
async function toasts(): Promise<readonly unknown[]> {
  await vi.dynamicImportSettled();
  return toast.getToasts().map((shown) => ('title' in shown ? shown.title : undefined));
}

beforeEach(() => {
  vi.useFakeTimers();
  sent.mockClear();
  toast.dismiss();
  serve({ approvals: { decide: sent } });
});
afterEach(() => void vi.useRealTimers());

const approval = toolApproval({});
const NOTHING: Extra = {};

function setup() {
  const queryClient = new QueryClient();
  const useOne = ({ extra, comment, blocked }: { readonly extra: Extra; readonly comment: string; readonly blocked?: string }) =>
    useDecision({ approval, risk: 'low', extra, comment, blocked, onDecided: () => undefined });
  const initialProps: Parameters<typeof useOne>[0] = { extra: NOTHING, comment: '' };
  return { ...renderHook(useOne, { wrapper: queryWrapper(queryClient), initialProps }), queryClient };
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('sends once after the undo window', async () => {
  const { result } = setup();
  act(() => result.current.choose('approved'));
  await pass(HOLD_MS + 10);
  act(() => result.current.confirm());
  expect(sent).toHaveBeenCalledTimes(1);
});

test('an input edited during the undo window cancels the decision', async () => {
  const { result, rerender } = setup();
  act(() => result.current.choose('approved'));
  await pass(HOLD_MS - 100);
  rerender({ extra: { input: { half: 'writ' } }, comment: '' });
  await pass(HOLD_MS * 2);
  expect(result.current.stage.name).toBe('idle');
  expect(sent).not.toHaveBeenCalled();
});

test('a comment in progress is not cut off by the end of the undo window', async () => {
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

test('nothing is sent without the server, or after the expiry', async () => {
  const { result, rerender } = setup();
  act(() => result.current.choose('approved'));
  rerender({ extra: NOTHING, comment: '', blocked: 'The server cannot be reached now.' });
  expect(result.current.stage.name).toBe('idle');
  act(() => result.current.choose('approved'));
  rerender({ extra: NOTHING, comment: '' });
  await pass(HOLD_MS * 2);
  expect(sent).not.toHaveBeenCalled();
});

test('leaving during the undo window announces that nothing was sent', async () => {
  const { result, unmount } = setup();
  act(() => result.current.choose('approved'));
  unmount();
  await pass(HOLD_MS * 2);
  expect(sent).not.toHaveBeenCalled();
  expect(await toasts()).toEqual([expect.stringContaining('Nothing was sent for pay of job: its 5-second undo window was still open')]);
});

test('a decision that is overtaken during the undo window shows no hint about speed', async () => {
  const { result, unmount, queryClient } = setup();
  act(() => result.current.choose('approved'));
  const { kind, namespace, name, resource } = approval;
  queryClient.setQueryData(api.resources.get.queryKey({ kind, namespace, name }), { ...resource, status: { phase: 'Denied' } });
  unmount();
  expect(await toasts()).toEqual(['Nothing was sent for pay of job.']);
});

test('leaving after a decision, or without one, announces nothing', async () => {
  const { result, unmount } = setup();
  act(() => result.current.choose('approved'));
  act(() => result.current.confirm());
  unmount();
  setup().unmount();
  expect(await toasts()).toEqual([]);
});
