// A batch of decisions: the answer to each; only inputs that were shown are sent.
import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { toolApproval } from '../../../testing/approvals.ts';
import { useBatch } from './use-batch.ts';

const request = vi.fn();
const decide = vi.fn();

const lost = new TypeError('fetch failed');
const refused = refusal('conflict', 'is decided already');
const approvals = ['a', 'b', 'c'].map((name) => toolApproval({ name }));

beforeEach(() => {
  request.mockReset().mockResolvedValue({});
  decide.mockReset().mockImplementation(({ name }: { readonly name: string }) => Promise.resolve(toolApproval({ name }).resource));
  serve({ approvals: { request, decide } });
});

async function statesAfter(decision: 'approved' | 'denied'): Promise<readonly string[]> {
  const { result } = renderHook(() => useBatch(() => undefined));
  await act(async () => {
    result.current.start(approvals, decision);
    await expect.poll(() => result.current.running).toBe(false);
  });
  return result.current.results.map(({ state }) => state);
}

test('a refused decision does not stop the others', async () => {
  decide.mockRejectedValueOnce(refused);
  expect(await statesAfter('denied')).toEqual(['refused', 'done', 'done']);
});

test('a decision without an answer is not reported as refused, and later decisions are not sent', async () => {
  decide.mockRejectedValueOnce(lost);
  expect(await statesAfter('approved')).toEqual(['unknown', 'unsent', 'unsent']);
  expect(decide).toHaveBeenCalledTimes(1);
});

test('a decision whose input cannot be checked first is not sent', async () => {
  request.mockResolvedValueOnce({}).mockRejectedValueOnce(lost);
  expect(await statesAfter('approved')).toEqual(['done', 'unsent', 'unsent']);
  expect(decide).toHaveBeenCalledTimes(1);
});
