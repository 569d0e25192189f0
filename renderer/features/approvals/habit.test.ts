import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { expect, test } from 'vitest';
import { habitOf, habitText } from './habit.ts';
import { stepsBefore } from './steps-before.ts';
import { toolApproval } from './test-approvals.ts';

const decided = (name: string, phase: string, by?: string) => toolApproval({ name, status: { phase, ...(by && { decided_by: by }) } });
const tool = { namespace: 'ops', name: 'pay' };

test('the habit counts decisions on the same tool, newest first, without the one that is looked at', () => {
  const all = [
    decided('a', 'Approved', 'Ana'),
    decided('b', 'Denied', 'Ben'),
    decided('c', 'Expired'),
    toolApproval({ name: 'd', spec: { tool: 'other' } }),
  ];
  expect(habitText(habitOf(all, { tool, uid: 'uid-x' }), undefined)).toBe('Approved 1 of 2, last by Ana. 1 expired.');
  expect(habitText(habitOf(all, { tool, uid: 'uid-a' }), 100)).toBe(
    'Approved 0 of 1, last by Ben among the newest 100 approvals of the namespace. 1 expired.',
  );
  expect(habitText(habitOf([], { tool, uid: 'x' }), undefined)).toBe('None.');
});

test('the steps before are the five before the one that asks, without the travel of messages', () => {
  const entry = (type: string, approval?: string) => ({ type, timestamp: '', ...(approval && { approval }) }) as TraceEntry;
  const before = ['task_start', 'agent_message_received', 'agent_start', 'model_call', 'model_output', 'tool_call', 'model_call'].map(
    (type) => entry(type),
  );
  const { steps, found } = stepsBefore([...before, entry('tool_approval_pending', 'mine'), entry('tool_call')], 'mine');
  expect(found).toBe(true);
  expect(steps.map(({ type }) => type)).toEqual(['agent_start', 'model_call', 'model_output', 'tool_call', 'model_call']);
});
