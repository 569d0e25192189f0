import { expect, test } from 'vitest';
import { planNotices, SUMMARY_TAG } from './notify.ts';
import { toolApproval } from '../../../testing/approvals.ts';

const many = (...names: string[]) => names.map((name) => toolApproval({ name }));
const time = () => '14:32';
const BEFORE = Date.parse('2025-12-31T00:00:00.000Z');
const NONE: ReadonlySet<string> = new Set<string>();

test('a notification names the tool, the agent, the reason and the expiry; never the input', () => {
  const [approval] = many('a');
  const { show } = planNotices({ pending: many('a'), known: NONE, since: BEFORE, shown: NONE, time });
  expect(show).toEqual([{ tag: 'approval-uid-a', title: 'pay · clerk', body: 'Money leaves. Expires 14:32.', opens: approval }]);
  expect(JSON.stringify(show.map(({ title, body }) => [title, body]))).not.toContain('sum');
});

test('a long reason is cut between characters', () => {
  const pending = [toolApproval({ name: 'a', spec: { reason: 'x'.repeat(158) + '😀😀' } })];
  const [notice] = planNotices({ pending, known: NONE, since: BEFORE, shown: NONE, time }).show;
  expect(notice?.body).toMatch(/^x{158}…/);
});

test('approvals known before are not notified again, and those decided elsewhere are withdrawn', () => {
  const plan = planNotices({
    pending: many('a'),
    known: new Set(['uid-a', 'uid-b']),
    since: BEFORE,
    shown: new Set(['approval-uid-a', 'approval-uid-b']),
    time,
  });
  expect(plan).toEqual({ show: [], close: ['approval-uid-b'] });
});

test('more than three notifications are combined into one', () => {
  const plan = planNotices({
    pending: many('a', 'b', 'c', 'd'),
    known: new Set(['uid-a']),
    since: BEFORE,
    shown: new Set(['approval-uid-a']),
    time,
  });
  expect(plan).toMatchObject({ show: [{ tag: SUMMARY_TAG, title: '4 approvals wait' }], close: ['approval-uid-a'] });
});

test('the summary is closed when nothing is pending', () => {
  expect(planNotices({ pending: [], known: NONE, since: BEFORE, shown: new Set([SUMMARY_TAG]), time }).close).toEqual([SUMMARY_TAG]);
});

test('a reason cannot hide characters or displace the rest', () => {
  const approval = toolApproval({ spec: { reason: `pay\u202e \u001b[31m${'x'.repeat(500)}` } });
  const [notice] = planNotices({ pending: [approval], known: NONE, since: BEFORE, shown: NONE, time }).show;
  expect(notice?.body).toMatch(/^pay\s+\[31mx+… Expires 14:32\.$/);
});

test('an approval requested before the page was loaded is not notified, however late it is read', () => {
  const since = Date.parse('2026-01-01T00:00:00.001Z');
  expect(planNotices({ pending: many('a'), known: NONE, since, shown: NONE, time }).show).toEqual([]);
  expect(planNotices({ pending: many('a'), known: NONE, since: since - 1, shown: NONE, time }).show).toHaveLength(1);
});
