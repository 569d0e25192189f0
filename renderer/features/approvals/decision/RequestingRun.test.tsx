// The run that asks, while it loads and when it cannot be read.
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { toolApproval } from '../../../testing/approvals.ts';
import { RequestingRun } from './RequestingRun.tsx';

async function show(code: 'not_found' | 'forbidden') {
  const get = () => {
    throw refusal(code, 'You may not read Tasks.');
  };
  serve({ resources: { get } });
  const approval = toolApproval({ name: 'pay-now' });
  await renderAt('/n/ops/inbox', () => <RequestingRun approval={approval} />);
  return approval.task.name;
}

test('a run that does not exist is named as deleted', async () => {
  const name = await show('not_found');
  expect(await screen.findByText(`${name} was deleted`)).toBeDefined();
});

test('a run that may not be read keeps its link', async () => {
  const name = await show('forbidden');
  expect(await screen.findByText('could not be read: You may not read Tasks.')).toBeDefined();
  expect(screen.getByRole('link', { name })).toBeDefined();
  expect(screen.queryByText(/was deleted/)).toBeNull();
});

test('the rows of a run have their places before it is loaded', async () => {
  let answer: (task: unknown) => void = () => undefined;
  serve({ resources: { get: () => new Promise((resolve) => (answer = resolve)) } });
  const approval = toolApproval({ name: 'pay-now' });
  await renderAt('/n/ops/inbox', () => <RequestingRun approval={approval} />);
  const terms = () => screen.getAllByRole('term').map(({ textContent }) => textContent);
  const loading = terms();
  answer({
    kind: 'Task',
    metadata: { ...approval.task, labels: {}, annotations: {} },
    spec: { system: 'desk', priority: 'high' },
    status: { phase: 'WaitingApproval' },
  });
  expect(await screen.findByRole('link', { name: 'desk' })).toBeDefined();
  expect(terms()).toEqual(loading);
});
