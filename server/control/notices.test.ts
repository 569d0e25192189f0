// Notices of approvals: their texts, links and actions.
import { expect, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import { canDecideInNotification, noticeOf } from './notices.ts';

function approval(kind: 'ToolApproval' | 'TaskApproval', spec: object, annotations: Record<string, string> = {}): Resource {
  const metadata = { name: 'q 1', namespace: 'team-a', uid: 'u1', annotations };
  return {
    apiVersion: 'svc.dev/v1',
    kind,
    metadata,
    spec,
    status: { phase: 'Pending', expires_at: '2030-01-01T00:00:00.000Z' },
  } as unknown as Resource;
}

test('a notice names agent, tool and task, and links to the approval', () => {
  expect(noticeOf(approval('ToolApproval', { task_ref: 'bill', tool: 'pay', agent: 'clerk', input: '{"x":1}' }), 'low')).toEqual({
    id: 'ToolApproval/team-a/q 1/u1',
    title: 'clerk wants to call pay',
    body: 'Task bill',
    link: 'svc://approvals/tool/team-a/q%201',
    actions: ['approve', 'deny'],
    expiresAt: '2030-01-01T00:00:00.000Z',
    urgency: 'normal',
  });
});

test('a notice of a review names its checkpoint and offers no decision', () => {
  const notice = noticeOf(approval('TaskApproval', { task_ref: 'report', checkpoint_id: 'draft', output: 'secret text' }), undefined);
  expect(notice).toMatchObject({ title: 'Review: draft', link: 'svc://approvals/task/team-a/q%201', actions: [] });
  expect(JSON.stringify(notice)).not.toContain('secret text');
});

test('texts lose hidden characters and their excess', () => {
  const { title, body } = noticeOf(
    approval('ToolApproval', { task_ref: 't', tool: 'a\u202Eb\u200B\u001B[31m', reason: 'x'.repeat(2_000) }),
    'low',
  );
  expect(title).toBe('Approval to call a b [31m');
  expect(body).toHaveLength(300);
});

test.each([
  ['low', {}, true],
  ['medium', {}, false],
  ['high', {}, false],
  [undefined, {}, false],
  ['low', { 'svc.dev/approval-reason': 'unknown_outcome' }, false],
])('a decision from a notification, risk %s, annotations %o: %s', (risk, annotations, expected) => {
  expect(canDecideInNotification(approval('ToolApproval', { task_ref: 't', tool: 'x' }, annotations), risk)).toBe(expected);
});
