import { matchesFields, parseFieldSelector } from '@svc/shared/field-selector';
import { cleanup, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { asRun } from '../model/run.ts';
import { EarlierRun } from '../parts/EarlierRun.tsx';
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

test('retries in another namespace are listed where they name the run', async () => {
  const retry = (namespace: string, of: string) =>
    objectOf('Task', 'nightly-retry-1', {
      namespace,
      annotations: { 'svc.dev/retry-of': of },
      spec: { system: 'desk' },
      status: { phase: 'Pending' },
    });
  const made = [retry('staging', 'ops/nightly'), retry('dev', 'dev/nightly')];
  serve({
    resources: {
      list: () => ({ items: [] }),
      search: ({ namespace }) =>
        namespace === undefined ? made.map(({ kind, metadata }) => ({ kind, ...metadata, phase: 'Pending' })) : [],
      get: ({ namespace }) => made.find(({ metadata }) => metadata.namespace === namespace) ?? made[0],
    },
  });
  await show();
  expect(await screen.findByRole('link', { name: 'staging/nightly-retry-1' })).toBeDefined();
  expect(screen.queryByText('dev/nightly-retry-1')).toBeNull();
  cleanup();
  await renderAt('/n/staging/tasks/nightly-retry-1', () => <EarlierRun run={asRun(retry('staging', 'ops/nightly'))} scope="staging" />);
  expect(screen.getByRole('link', { name: 'ops/nightly' })).toBeDefined();
});
