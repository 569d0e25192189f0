import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setFallbackTitle, setPendingInTitle, titleOf, usePageTitle } from '../navigation/page-title.ts';
import { areaTitle, objectAt, titleAt } from './use-page-change.ts';

function Page({ title }: { readonly title: string }) {
  usePageTitle(title);
  return null;
}

test('the title names the page and counts the pending approvals', () => {
  expect([titleOf('nightly', 3), titleOf('', 0), titleOf('', 120)]).toEqual([
    '(3) nightly · Agent Orchestration Service',
    'Agent Orchestration Service',
    '(99+) Agent Orchestration Service',
  ]);
});

test('a page without a title shows the title of its area', () => {
  setFallbackTitle('Tasks');
  setPendingInTitle(2);
  const page = render(<Page title="nightly" />);
  expect(document.title).toBe('(2) nightly · Agent Orchestration Service');
  page.unmount();
  expect(document.title).toBe('(2) Tasks · Agent Orchestration Service');
});

test('an address names its area and the object of its page', () => {
  expect([areaTitle('/n/default/agent-systems/x'), areaTitle('/n/-/inbox'), areaTitle('/welcome')]).toEqual(['Agent systems', 'Inbox', '']);
  expect([areaTitle('/n/-/agent-roles'), areaTitle('/n/-/memories')]).toEqual(['Agent roles', 'Memory']);
  expect([titleAt('/n/ops/tasks/nightly'), titleAt('/n/ops/tasks')]).toEqual(['nightly · Runs', 'Runs']);
  expect(objectAt('/n/ops/tasks/nightly')).toEqual({ kind: 'Task', namespace: 'ops', name: 'nightly' });
  expect([objectAt('/n/ops/tasks'), objectAt('/n/ops/nope/x'), objectAt('/n/ops/new/agents')]).toEqual([undefined, undefined, undefined]);
});
