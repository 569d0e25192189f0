import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { expect, test } from 'vitest';
import { precedentsOf, precedentsText } from './precedents.ts';
import { stepsBefore } from '../model/steps-before.ts';
import { toolApproval } from '../../../testing/approvals.ts';

const decided = (name: string, phase: string, { by, at }: { readonly by: string; readonly at: string }) =>
  toolApproval({ name, status: { phase, decided_by: by, decided_at: at } });
const tool = { namespace: 'ops', name: 'pay' };

test('precedents count decisions on the same tool, the latest first, without the open approval', () => {
  const all = [
    decided('b', 'Denied', { by: 'Ben', at: '2026-01-01T00:10:00Z' }),
    decided('a', 'Approved', { by: 'Ana', at: '2026-01-01T00:20:00Z' }),
    toolApproval({ name: 'c', status: { phase: 'Expired' } }),
    toolApproval({ name: 'd', spec: { tool: 'other' } }),
  ];
  expect(precedentsText(precedentsOf(all, { tool, uid: 'uid-x' }), undefined)).toBe('Approved 1 of 2, last by Ana. 1 expired.');
  expect(precedentsText(precedentsOf(all, { tool, uid: 'uid-a' }), 100)).toBe(
    'Approved 0 of 1, last by Ben among the newest 100 approvals of the namespace. 1 expired.',
  );
  expect(precedentsText(precedentsOf([], { tool, uid: 'x' }), undefined)).toBe('None.');
});

test('the steps before are the last five before the request, without messages', () => {
  const entry = (type: string, approval?: string) => ({ type, timestamp: '', ...(approval && { approval }) }) as TraceEntry;
  const before = ['task_start', 'agent_message_received', 'agent_start', 'model_call', 'model_output', 'tool_call', 'model_call'].map(
    (type) => entry(type),
  );
  const { steps, found } = stepsBefore([...before, entry('tool_approval_pending', 'mine'), entry('tool_call')], 'mine');
  expect(found).toBe(true);
  expect(steps.map(({ type }) => type)).toEqual(['agent_start', 'model_call', 'model_output', 'tool_call', 'model_call']);
});
