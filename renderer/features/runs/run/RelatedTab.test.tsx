import { matchesFields, parseFieldSelector } from '@svc/shared/field-selector';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { asRun } from '../model/run.ts';
import { RelatedTab } from './RelatedTab.tsx';

const task = (name: string, spec: object = {}) =>
  objectOf('Task', name, { spec: { system: 'desk', ...spec }, status: { phase: 'Pending' } });

const show = () => renderAt('/n/ops/tasks/nightly', () => <RelatedTab run={asRun(task('nightly'))} scope="ops" />);

test('failed requests are errors with Retry, not empty lists', async () => {
  const fail = () => {
    throw refusal('unavailable', 'The database does not answer.');
  };
  serve({ resources: { list: fail, search: fail } });
  await show();
  expect(await screen.findByText('The retries could not be loaded')).toBeDefined();
  expect(await screen.findByText('Other runs could not be loaded')).toBeDefined();
  expect(screen.getAllByRole('button', { name: 'Retry' })).toHaveLength(2);
  expect(screen.queryByText(/^No /)).toBeNull();
});

test('templates are not runs of a system', async () => {
  const all = [task('other', { mode: 'run' }), task('weekly', { mode: 'template' })];
  const list = ({ fieldSelector = '' }) => ({ items: all.filter((each) => matchesFields(parseFieldSelector(fieldSelector), each)) });
  serve({ resources: { list, search: () => [] } });
  await show();
  expect(await screen.findByText('other')).toBeDefined();
  expect(screen.queryByText('weekly')).toBeNull();
});
