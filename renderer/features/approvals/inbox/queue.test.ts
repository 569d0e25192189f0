import { describe, expect, test } from 'vitest';
import { batchProblem, byExpiry, countsOf, grouped, matches, nextAfter, type QueueItem } from './queue.ts';
import { taskApproval, toolApproval } from '../../../testing/approvals.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
const item = (name: string, minutes: number, more: Partial<QueueItem> & { tool?: string } = {}): QueueItem => {
  const { tool = 'pay', ...rest } = more;
  return { approval: toolApproval({ name, spec: { tool }, status: { expires_at: at(minutes) } }), risk: 'low', system: 'desk', ...rest };
};
const review: QueueItem = { approval: taskApproval({ name: 'r', status: { expires_at: at(3) } }), risk: undefined, system: undefined };
const names = (items: readonly QueueItem[]) => items.map(({ approval }) => approval.name);

test('the earliest expiry comes first, approvals without expiry come last', () => {
  const never: QueueItem = { ...item('never', 0), approval: toolApproval({ name: 'never', status: { expires_at: '' } }) };
  expect(names([never, item('b', 5), item('a', 5), item('c', 1), review].sort(byExpiry))).toEqual(['c', 'r', 'a', 'b', 'never']);
});

test('groups are ordered by their most urgent item', () => {
  const items = [item('a', 1, { tool: 'x' }), item('b', 2, { tool: 'y' }), item('c', 3, { tool: 'x' }), review];
  expect(grouped(items, 'tool').map(({ title, items: of }) => [title, names(of)])).toEqual([
    ['x', ['a', 'c']],
    ['y', ['b']],
    ['Reviews of output', ['r']],
  ]);
  expect(grouped(items, 'system').map(({ title }) => title)).toEqual(['desk', 'Other runs']);
});

test.each([
  [{ kinds: ['TaskApproval'], risks: [], text: '' }, ['r']],
  [{ kinds: [], risks: ['low'], text: '' }, ['a']],
  [{ kinds: [], risks: [], text: ' CLERK ' }, ['a']],
  [{ kinds: [], risks: [], text: 'text' }, ['r']],
  [{ kinds: [], risks: ['high'], text: '' }, []],
])('filters %j', (filter, expected) => {
  expect(names([item('a', 1), review].filter((each) => matches(each, filter)))).toEqual(expected);
});

test('a filter counts its results under the other filters', () => {
  const items = [item('a', 1), item('b', 2, { tool: 'refund' }), item('c', 3, { tool: 'refund', risk: 'high' }), review];
  const counts = (filter: Parameters<typeof matches>[1]) => {
    const { byKind, byRisk } = countsOf(items, filter);
    return { ...Object.fromEntries(byKind), ...Object.fromEntries(byRisk) };
  };
  expect(counts({ kinds: [], risks: [], text: '' })).toEqual({ ToolApproval: 3, TaskApproval: 1, low: 2, high: 1 });
  expect(counts({ kinds: [], risks: [], text: 'refund' })).toEqual({ ToolApproval: 2, TaskApproval: 0, low: 1, high: 1 });
  expect(counts({ kinds: ['TaskApproval'], risks: ['low'], text: '' })).toEqual({ ToolApproval: 2, TaskApproval: 0 });
});

test.each([
  [['a', 'b', 'c'], 'b', 'c'],
  [['a', 'b', 'c'], 'c', 'b'],
  [['a'], 'a', undefined],
  [['a', 'b'], 'gone', 'a'],
])('after %j without %s the focus goes to %s', (keys, key, next) => {
  expect(nextAfter(keys, key)).toBe(next);
});

describe('approvals that may be decided together', () => {
  test('equal calls of low risk', () => expect(batchProblem([item('a', 1), item('b', 2)])).toBeUndefined());
  test.each([
    ['nothing', [], /Nothing/],
    ['reviews', [review], /one by one/],
    ['another tool', [item('a', 1), item('b', 1, { tool: 'other' })], /same tool/],
    ['a tool of that name in another namespace', [item('a', 1), item('b', 1, { tool: 'elsewhere/search' })], /same tool/],
    ['a graver risk', [item('a', 1), item('b', 1, { risk: 'medium' })], /low risk/],
    ['a risk that is not known yet', [item('a', 1, { risk: undefined })], /low risk/],
  ])('not %s', (_, items, problem) => expect(batchProblem(items)).toMatch(problem));
  test('not calls of unknown outcome', () => {
    const lost = toolApproval({ annotations: { 'svc.dev/approval-reason': 'unknown_outcome' } });
    expect(batchProblem([{ ...item('a', 1), approval: lost }])).toMatch(/one by one/);
  });
});
