import { describe, expect, test } from 'vitest';
import {
  approvalAddress,
  compareAddress,
  createAddress,
  inNamespace,
  kindAddress,
  objectAddress,
  pageAddress,
  queryString,
  scopeOf,
} from './addresses.ts';

const task = { kind: 'Task', namespace: 'ops', name: 'nightly' };

test('a page of a namespace carries its query, without empty values', () => {
  expect(pageAddress('default', 'tasks', { phase: ['Failed', 'Running'], q: '', page: undefined, live: true })).toBe(
    '/n/default/tasks?phase=Failed&phase=Running&live=true',
  );
});

test('kinds are addressed by their path segment', () => {
  expect(kindAddress('default', 'AgentSystem')).toBe('/n/default/agent-systems');
  expect(createAddress('default', 'Agent', { template: 'basic' })).toBe('/n/default/new/agents?template=basic');
});

describe('an object', () => {
  test('is addressed in its own namespace', () => expect(objectAddress(task)).toBe('/n/ops/tasks/nightly'));
  test('keeps "all namespaces" as scope when opened from there', () => {
    expect(objectAddress(task, '-', { tab: 'trace' })).toBe('/n/ops/tasks/nightly?tab=trace&scope=all');
    expect(scopeOf('/n/ops/tasks/nightly', '?scope=all')).toEqual({ namespace: 'ops', scope: '-' });
  });
  test('with odd characters is escaped', () => expect(objectAddress({ ...task, name: 'a/b?c' })).toBe('/n/ops/tasks/a%2Fb%3Fc'));
});

test('approvals and comparisons have addresses too', () => {
  expect(approvalAddress('-', { kind: 'ToolApproval', namespace: 'ops', name: 'x' })).toBe('/n/-/inbox?item=ToolApproval%2Fops%2Fx');
  expect(compareAddress('ops', task, { ...task, name: 'other' })).toBe('/n/ops/compare?left=ops%2Fnightly&right=ops%2Fother');
});

describe('changing the namespace', () => {
  test.each([
    ['/n/default/tasks', '?phase=Failed', '/n/ops/tasks'],
    ['/n/default/tasks/nightly', '', '/n/ops/tasks'],
    ['/n/default/new/agents', '', '/n/ops/new/agents'],
    ['/n/default/new/agents', '?from=default%2Fclerk', '/n/ops/new/agents?from=default%2Fclerk'],
    ['/welcome', '', '/n/ops/dashboard'],
    ['/n/%E0%A4%A/tasks', '', '/n/ops/tasks'],
  ])('%s%s becomes %s', (pathname, search, to) => expect(inNamespace({ pathname, search }, 'ops')).toBe(to));
});

test('pages outside of namespaces have no scope', () => expect(scopeOf('/welcome', '')).toBeUndefined());

test('an empty query adds nothing', () => expect(queryString({ a: undefined, b: '', c: false })).toBe(''));
