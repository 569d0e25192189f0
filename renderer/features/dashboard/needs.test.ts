import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import { brokenCount, longestFirst, recentlyEnded, troubleText } from './needs.ts';

const NOW = Date.parse('2026-01-05T12:00:00Z');
const run = (name: string, status: Record<string, unknown>, createdAt = '2026-01-05T00:00:00Z') =>
  ({ kind: 'Task', metadata: { name, namespace: 'default', createdAt }, spec: {}, status }) as unknown as Resource;
const names = (runs: readonly Resource[]) => runs.map(({ metadata }) => metadata.name);

test('failures are those of the last 24 hours, the newest first', () => {
  const runs = [
    run('early', { completedAt: '2026-01-05T01:00:00Z' }),
    run('old', { completedAt: '2026-01-03T01:00:00Z' }),
    run('late', { completedAt: '2026-01-05T11:00:00Z' }),
    run('open', {}),
  ];
  expect(names(recentlyEnded(runs, NOW))).toEqual(['late', 'early']);
});

test('the longest running run comes first, then the longest waiting one', () => {
  const runs = [
    run('queued', { phase: 'Pending' }, '2026-01-01T00:00:00Z'),
    run('short', { phase: 'Running', startedAt: '2026-01-05T11:00:00Z' }),
    run('long', { phase: 'Running', startedAt: '2026-01-05T08:00:00Z' }),
  ];
  expect(names(longestFirst(runs))).toEqual(['long', 'short', 'queued']);
});

test('the problem of an object is its latest message', () => {
  expect(troubleText(run('a', { lastError: 'no route', reason: 'unreachable' }))).toBe('no route');
  expect(troubleText(run('a', {}))).toBe('');
});

describe('objects in error', () => {
  const counts = [
    { count: 180, more: false },
    { count: 3, more: false },
  ];
  test('are the loaded ones, while these are complete', () =>
    expect(brokenCount(2, { all: true, counts })).toEqual({ count: 2, more: false }));
  test('are counted by the server when more exist than were loaded', () => {
    expect(brokenCount(23, { all: false, counts })).toEqual({ count: 183, more: false });
    expect(brokenCount(23, { all: false, counts: [...counts, { count: 10_000, more: true }] })).toEqual({ count: 10_183, more: true });
  });
  test('are unknown before they are counted', () =>
    expect(brokenCount(23, { all: false, counts: undefined })).toEqual({ count: undefined, more: false }));
});
