// Home over a fake server: the steps to a first run, work that waits for a person, and current runs.
import type { Resource } from '@svc/shared/resource';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../testing/fake-objects.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { toolApproval } from '../../testing/approvals.ts';
import { DashboardPage } from './DashboardPage.tsx';

const runs = () => {
  throw refusal('unavailable', 'Counting has not begun.');
};
const show = (objects: readonly Resource[]) => {
  serve({ resources: answerObjects(objects), statistics: { runs } });
  return renderAt('/n/ops', DashboardPage);
};
const task = (name: string, status: object, mode = 'run') => objectOf('Task', name, { spec: { system: 'desk', mode }, status });
const OLD_RUN = task('old', { phase: 'Succeeded', completedAt: '2026-01-01T00:00:00.000Z' });

test('a server without a run shows the steps to the first one', async () => {
  await show([objectOf('ModelEndpoint', 'mock')]);
  const steps = within(await screen.findByRole('list', { name: 'Steps to a first run' })).getAllByRole('listitem');
  expect(steps).toHaveLength(4);
  expect(screen.queryByRole('region', { name: 'Needs you' })).toBeNull();
});

test('a server at rest reports that nothing needs a decision', async () => {
  await show([OLD_RUN]);
  expect(await screen.findByText('Nothing needs you.')).toBeDefined();
  expect(await screen.findByText('Nothing is running.')).toBeDefined();
});

test('approvals, recent failures and broken objects are shown with their reasons', async () => {
  const completedAt = new Date().toISOString();
  await show([
    toolApproval({ name: 'pay-now' }).resource,
    task('broken-run', { phase: 'Failed', completedAt, lastError: 'The model refused.' }),
    objectOf('McpServer', 'files', { status: { phase: 'Error', lastError: 'Connection refused.' } }),
  ]);
  expect(await screen.findByText('The model refused.')).toBeDefined();
  expect(await screen.findByText('Connection refused.')).toBeDefined();
  expect(screen.getByRole('link', { name: /Call pay/ })).toBeDefined();
});

test('failures that could not be counted show no number', async () => {
  const answers = answerObjects([OLD_RUN]);
  const list: NonNullable<typeof answers.list> = (input) => {
    if (JSON.stringify(input).includes('DeadLetter')) throw refusal('internal', 'Out of order.');
    return answers.list?.(input);
  };
  serve({ resources: { ...answers, list }, statistics: { runs } });
  await renderAt('/n/ops', DashboardPage);
  expect(await screen.findByText('Out of order.')).toBeDefined();
  expect(within(screen.getByRole('region', { name: /^Failed/ })).queryByText('0')).toBeNull();
});

test('current runs are shown without templates, the longest first, and queued ones after them', async () => {
  await show([
    task('queued', { phase: 'Pending' }),
    task('weekly', { phase: 'Pending' }, 'template'),
    task('young', { phase: 'Running', startedAt: '2026-01-02T00:00:00.000Z' }),
    task('long', { phase: 'Running', startedAt: '2026-01-01T00:00:00.000Z' }),
  ]);
  expect(await screen.findByText('2 running · 1 queued')).toBeDefined();
  const links = (await screen.findAllByRole('link', { name: /^(queued|young|long|weekly)$/ })).map(({ textContent }) => textContent);
  expect(links).toEqual(['long', 'young', 'queued']);
});

test('a failed history leaves the rest of the page', async () => {
  await show([OLD_RUN]);
  expect(await screen.findByText('Nothing needs you.')).toBeDefined();
  expect(await screen.findByText(/Counting has not begun/)).toBeDefined();
});
