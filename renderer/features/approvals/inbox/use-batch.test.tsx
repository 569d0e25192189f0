// A batch of decisions: what each was answered, and that nothing goes out in the dark.
import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { toolApproval } from '../model/test-approvals.ts';
import { useBatch } from './use-batch.ts';

const { asked, decide } = vi.hoisted(() => ({ asked: vi.fn(), decide: vi.fn() }));
vi.mock('../../../live/api.ts', () => ({ api: {}, client: { approvals: { asked: { query: asked }, decide: { mutate: decide } } } }));

const lost = new TypeError('fetch failed');
const refused = { data: { error: { code: 'conflict', message: 'is decided already' } } };
const approvals = ['a', 'b', 'c'].map((name) => toolApproval({ name }));

beforeEach(() => {
  asked.mockReset().mockResolvedValue({});
  decide.mockReset().mockImplementation(({ name }: { readonly name: string }) => Promise.resolve(toolApproval({ name }).resource));
});

async function statesAfter(decision: 'approved' | 'denied'): Promise<readonly string[]> {
  const { result } = renderHook(() => useBatch(() => undefined));
  await act(async () => {
    result.current.start(approvals, decision);
    await vi.waitFor(() => expect(result.current.running).toBe(false));
  });
  return result.current.results.map(({ state }) => state);
}

test('one that is refused does not hold up the others', async () => {
  decide.mockRejectedValueOnce(refused);
  expect(await statesAfter('denied')).toEqual(['refused', 'done', 'done']);
});

test('a decision without an answer is not reported as refused, and later decisions are not sent', async () => {
  decide.mockRejectedValueOnce(lost);
  expect(await statesAfter('approved')).toEqual(['unknown', 'unsent', 'unsent']);
  expect(decide).toHaveBeenCalledTimes(1);
});

test('one that could not be looked at before was not sent', async () => {
  asked.mockResolvedValueOnce({}).mockRejectedValueOnce(lost);
  expect(await statesAfter('approved')).toEqual(['done', 'unsent', 'unsent']);
  expect(decide).toHaveBeenCalledTimes(1);
});
