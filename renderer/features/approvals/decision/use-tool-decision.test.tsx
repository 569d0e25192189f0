// A tool call under review, with a fake server: whether its input can be edited.
import { QueryClient } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { toolApproval } from '../../../testing/approvals.ts';
import { useToolDecision } from './use-tool-decision.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';

const UNKNOWN = { 'svc.dev/approval-reason': 'unknown_outcome' };

test.each([
  { title: 'of a new call can be edited', uid: 'new', sent: undefined, annotations: {}, edits: true },
  { title: 'of a call that was sent before is kept', uid: 'sent', sent: true, annotations: {}, edits: false },
  { title: 'of a lost call is kept', uid: 'lost', sent: true, annotations: UNKNOWN, edits: false },
])('the input $title', async ({ uid, sent, annotations, edits }) => {
  const tool = { namespace: 'ops', name: 'pay', spec: { type: 'http' } };
  const call = { agent: 'clerk', request_id: 'r', task: 'ops/job', input: { sum: 3 }, ...(sent && { sent }), tool };
  serve({ approvals: { request: () => ({ uid, waits: true, call }) }, resources: { get: () => ({ spec: tool.spec }) } });
  const client = new QueryClient();
  const approval = toolApproval({ uid, annotations });
  const { result } = renderHook(() => useToolDecision(approval, { blocked: undefined, onDecided: () => undefined }), {
    wrapper: queryWrapper(client),
  });
  await waitFor(() => expect(result.current.content.answer).toBeDefined());
  expect([result.current.sent, result.current.startEditing !== undefined]).toEqual([!edits, edits]);
  act(() => result.current.startEditing?.());
  expect(result.current.editing).toBe(edits);
});

test('an answer in place of the call needs a text, and replaces edits of the input', async () => {
  const tool = { namespace: 'ops', name: 'pay', spec: { type: 'http' } };
  const call = { agent: 'clerk', request_id: 'r', task: 'ops/job', input: { sum: 3 }, tool };
  const decided: unknown[] = [];
  serve({
    approvals: {
      request: () => ({ uid: 'answered', waits: true, call, plan: { type: 'http' } }),
      decide: (input: unknown) => {
        decided.push(input);
        return {};
      },
    },
    resources: { get: () => ({ spec: { ...tool.spec, risk_level: 'critical' } }) },
  });
  const { result } = renderHook(
    () => useToolDecision(toolApproval({ uid: 'answered' }), { blocked: undefined, onDecided: () => undefined }),
    { wrapper: queryWrapper(new QueryClient()) },
  );
  await waitFor(() => expect(result.current.startAnswering).toBeDefined());
  act(() => result.current.startEditing?.());
  act(() => result.current.startAnswering?.());
  expect([result.current.editing, result.current.approveBlocked]).toEqual([false, 'Write your answer first.']);
  act(() => result.current.answerPanel?.onAnswer('paid on Monday'));
  expect(result.current.approveBlocked).toBeUndefined();
  act(() => result.current.control.choose('approved'));
  // Nothing runs, so even a critical tool takes the undo window alone.
  expect(result.current.control.stage.name).toBe('hold');
  act(() => result.current.control.confirm());
  await waitFor(() => expect(decided).toMatchObject([{ decision: 'approved', outcome: 'answered', output: 'paid on Monday' }]));
});

test('the outcome of a lost call and its output are kept while the run is visited', () => {
  serve({});
  const approval = toolApproval({ uid: 'visited', annotations: UNKNOWN });
  const open = () =>
    renderHook(() => useToolDecision(approval, { blocked: undefined, onDecided: () => undefined }), {
      wrapper: queryWrapper(new QueryClient()),
    });
  const first = open();
  act(() => {
    first.result.current.outcomePanel.onOutcome('done');
    first.result.current.outcomePanel.onOutput('paid on Monday');
  });
  first.unmount();
  expect(open().result.current.outcomePanel).toMatchObject({ outcome: 'done', output: 'paid on Monday' });
});
