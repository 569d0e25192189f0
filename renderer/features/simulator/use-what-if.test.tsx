// The tried change, with a fake server: a single insertion, repeated requests, and the call of an answer.
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { useWhatIf } from './use-what-if.ts';
import { queryWrapper } from '../../testing/query-wrapper.tsx';

const get = vi.fn();
const judge = vi.fn();

const REF = { kind: 'ToolPermission', namespace: 'ops', name: 'erp' };
const rule = (name: string) => ({ apiVersion: 'svc.dev/v1', kind: 'ToolPermission', metadata: { name, namespace: 'ops' }, spec: {} });

beforeEach(() => {
  get.mockReset();
  judge.mockReset();
  serve({ resources: { get }, access: { whatIf: judge } });
});

function setup(home: string, question?: Record<string, string>) {
  const queryClient = new QueryClient();
  return renderHook(({ current }) => useWhatIf(home, current), { wrapper: queryWrapper(queryClient), initialProps: { current: question } });
}

test('an object requested twice while it loads is written once', async () => {
  get.mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve({ ...rule('erp'), status: {} }), 20)));
  const { result } = setup('ops');
  await act(() => Promise.all([result.current.add(REF), result.current.add(REF)]));
  expect(result.current.text.match(/kind: ToolPermission/g)).toHaveLength(1);
});

test('the answer to one call is not shown for another', async () => {
  judge.mockResolvedValueOnce([{ verdict: 'deny' }]).mockReturnValueOnce(new Promise(() => undefined));
  const { result, rerender } = setup('ops', { agent: 'clerk', tool: 'erp' });
  act(() => result.current.setDocuments([rule('erp')]));
  await waitFor(() => expect(result.current.answer).toEqual({ verdict: 'deny' }));
  rerender({ current: { agent: 'clerk', tool: 'mail' } });
  expect(result.current.answer).toBeUndefined();
});

test('the previous answer stays while the text is edited', async () => {
  judge.mockResolvedValueOnce([{ verdict: 'deny' }]).mockReturnValueOnce(new Promise(() => undefined));
  const { result } = setup('ops', { agent: 'clerk', tool: 'erp' });
  act(() => result.current.setDocuments([rule('erp')]));
  await waitFor(() => expect(result.current.answer).toEqual({ verdict: 'deny' }));
  act(() => result.current.setDocuments([rule('mail')]));
  expect(result.current.answer).toEqual({ verdict: 'deny' });
});

test('an equivalent text keeps the previous documents, so that the matrix is not requested again', async () => {
  judge.mockResolvedValue([]);
  const { result } = setup('ops');
  act(() => result.current.setDocuments([rule('erp')]));
  await waitFor(() => expect(result.current.documents).toBeDefined());
  const before = result.current.documents;
  act(() => result.current.setDocuments([rule('erp')]));
  expect(result.current.documents).toBe(before);
  act(() => result.current.setDocuments([rule('mail')]));
  await waitFor(() => expect(result.current.documents).toEqual([rule('mail')]));
});
