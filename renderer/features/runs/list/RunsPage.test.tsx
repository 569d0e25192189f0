// List of runs over a fake server: rows, filters, and reasons for an empty list.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { giveLayout } from '../../../testing/layout.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { RunsPage } from './RunsPage.tsx';

giveLayout();

const run = (name: string, phase: string, spec: object = {}) =>
  objectOf('Task', name, { spec: { system: 'desk', ...spec }, status: { phase } });
const RUNS = [
  run('nightly', 'Succeeded'),
  run('morning', 'Failed'),
  run('pattern', 'Pending', { mode: 'template' }),
  objectOf('Task', 'elsewhere', { namespace: 'desk', spec: { system: 'desk' }, status: { phase: 'Running' } }),
];
const show = (search = '') => renderAt(`/n/ops/tasks${search}`, RunsPage);
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

test('the list shows the runs of the namespace, and counts its templates apart', async () => {
  serve({ resources: answerObjects(RUNS) });
  await show();
  await waitFor(() => expect(names()).toEqual(['nightly', 'morning']));
  expect(screen.getByRole('button', { name: '+ 1 template' })).toBeDefined();
  expect(screen.getByText('2 runs')).toBeDefined();
});

test('a part of a long list is counted against all runs', async () => {
  const answers = answerObjects(RUNS);
  const first = { items: RUNS.slice(0, 1), continue: 'more' };
  // The next page does not arrive.
  serve({ resources: { ...answers, list: ({ after }) => (after === undefined ? first : new Promise(() => undefined)) } });
  await show();
  expect(await screen.findByText('1 of 2 loaded')).toBeDefined();
});

test('a fork links the earlier run that it reuses', async () => {
  const fork = run('fork', 'Succeeded', { trial: { from: { node: 'writer', task: 'nightly' } } });
  serve({ resources: answerObjects([fork]) });
  await show();
  const link = await screen.findByRole('link', { name: 'Fork of nightly at writer' });
  expect(link.getAttribute('href')).toBe('/n/ops/tasks/nightly');
});

test('the list of templates creates one, and opens its page', async () => {
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' } }) },
    resources: {
      ...answerObjects([]),
      search: () => [{ kind: 'AgentSystem', namespace: 'ops', name: 'desk' }],
      write: () => ({ resource: objectOf('Task', 'weekly', { namespace: 'ops' }) }),
    },
  });
  const { address } = await show('?mode=templates');
  await screen.findByText('No templates');
  expect(screen.queryByRole('button', { name: /^Pending/ })).toBeNull();
  fireEvent.click(screen.getAllByText('New template')[0] as HTMLElement);
  const dialog = within(await screen.findByRole('dialog', { name: 'New template' }));
  fireEvent.change(dialog.getByLabelText(/^Name/), { target: { value: 'weekly' } });
  fireEvent.click(await dialog.findByLabelText(/^System/));
  fireEvent.click(await dialog.findByText('desk'));
  fireEvent.click(dialog.getByText('Create'));
  await waitFor(() => expect(address()).toBe('/n/ops/tasks/weekly'));
});

test('filters typed into the search become filters of the list', async () => {
  serve({ resources: answerObjects(RUNS) });
  const { address } = await show();
  await waitFor(() => expect(names()).toEqual(['nightly', 'morning']));
  const field = screen.getByRole('combobox', { name: 'Search runs' });
  fireEvent.change(field, { target: { value: 'state:failed ' } });
  await waitFor(() => expect(names()).toEqual(['morning']));
  expect((field as HTMLInputElement).value).toBe('');
  expect(screen.getByRole('button', { name: /^Failed/, pressed: true })).toBeDefined();
  fireEvent.change(field, { target: { value: 'system:desk' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(address()).toBe('/n/ops/tasks?phase=Failed&system=desk'));
});

test('a filter of the address selects on the server, and is cleared in the address', async () => {
  serve({ resources: answerObjects(RUNS) });
  const { address } = await show('?phase=Failed');
  await waitFor(() => expect(names()).toEqual(['morning']));
  fireEvent.click(screen.getByRole('button', { name: /^Failed/, pressed: true }));
  await waitFor(() => expect(names()).toEqual(['nightly', 'morning']));
  expect(address()).toBe('/n/ops/tasks');
});

test('filters by reason, worker and priority are chosen in the toolbar', async () => {
  const timedOut = objectOf('Task', 'slow', {
    spec: { system: 'desk' },
    status: { phase: 'Failed', reason: 'timeout', assignedWorker: 'w1' },
  });
  serve({ resources: answerObjects([...RUNS, timedOut]) });
  const { address } = await show();
  fireEvent.click(await screen.findByRole('button', { name: 'More filters' }));
  const reason = await screen.findByRole('combobox', { name: 'Reason' });
  expect(
    within(reason)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Any reason', 'timeout']);
  fireEvent.change(reason, { target: { value: 'timeout' } });
  expect(address()).toBe('/n/ops/tasks?reason=timeout');
  await waitFor(() => expect(screen.queryByText('nightly')).toBeNull());
});

test('filters without a match are cleared from the empty list', async () => {
  serve({ resources: answerObjects(RUNS) });
  await show('?phase=DeadLetter');
  fireEvent.click(await screen.findByRole('button', { name: 'Clear the filters' }));
  await waitFor(() => expect(names()).toEqual(['nightly', 'morning']));
});

test('a namespace without runs shows the command that creates one', async () => {
  serve({ resources: answerObjects([]) });
  await show();
  expect(await screen.findByText('No runs yet')).toBeDefined();
  expect(screen.getByText(/npx svcctl -n ops run SYSTEM/)).toBeDefined();
});

test('a failed request is retried from the list', async () => {
  const answers = answerObjects(RUNS);
  const list = () => {
    throw refusal('internal', 'The database is busy');
  };
  serve({ resources: { ...answers, list } });
  await show();
  const retry = await screen.findByRole('button', { name: /again|retry/i });
  serve({ resources: answers });
  fireEvent.click(retry);
  await waitFor(() => expect(names()).toEqual(['nightly', 'morning']));
});

test('a token without access sees the reason in place of the list', async () => {
  const list = () => {
    throw refusal('forbidden', 'Runs need the role reader.');
  };
  serve({ resources: { ...answerObjects([]), list } });
  await show();
  expect(await screen.findByText('You may not see runs')).toBeDefined();
  expect(screen.getByText('Runs need the role reader.')).toBeDefined();
});

test('an incomplete list shows a note, and offers a reload or the complete order', async () => {
  const answers = answerObjects(RUNS);
  const list = ({ order }: { readonly order?: string | undefined }) => ({
    items: RUNS,
    ...(order === '-cost' && { incomplete: true as const }),
  });
  serve({ resources: { ...answers, list } });
  const { address } = await show('?sort=-cost');
  expect(await screen.findByText(/Some may be missing here/)).toBeDefined();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Sort by age' }));
  await waitFor(() => expect(screen.queryByText(/Some may be missing here/)).toBeNull());
  expect(address()).toBe('/n/ops/tasks');
});

test('a search shows where its words were found, and has one order', async () => {
  serve({ resources: answerObjects([run('nightly', 'Pending', { input: { topic: 'the tides' } }), run('morning', 'Failed')]) });
  await show('?q=tide&sort=-cost');
  await waitFor(() => expect(names()).toEqual(['nightly']));
  expect(screen.getByText('tides').closest('mark')).not.toBeNull();
  expect(screen.getByRole('columnheader', { name: 'Age' }).getAttribute('aria-sort')).toBe('ascending');
  expect(within(screen.getByRole('columnheader', { name: 'Cost' })).queryByRole('button')).toBeNull();
});

test('a run that the server refuses to cancel stays selected, with the reason in the result', async () => {
  const many = ['a', 'b', 'c'].map((name) => run(name, 'Running'));
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' } }) },
    resources: answerObjects(many),
    runs: {
      cancel: ({ name }) => {
        if (name === 'b') throw refusal('conflict', 'b has ended');
        return objectOf('Task', name, { spec: { system: 'desk' }, status: { phase: 'Failed', reason: 'cancelled' } });
      },
    },
  });
  await show();
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all loaded rows' }));
  const bar = within(await screen.findByRole('toolbar', { name: 'Selected runs' }));
  fireEvent.click(bar.getByRole('button', { name: 'Cancel' }));
  const dialog = within(await screen.findByRole('dialog'));
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Cancel 3 runs' }).getAttribute('aria-disabled')).not.toBe('true'));
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel 3 runs' }));
  await waitFor(() => expect(screen.getByText(/b has ended/)).toBeDefined(), { timeout: 20_000 });
  await waitFor(() => expect(screen.getAllByText('2 of 3 done, 1 failed').length).toBeGreaterThan(0), { timeout: 20_000 });
  expect(within(screen.getByRole('list', { name: 'Items' })).getAllByRole('listitem')).toHaveLength(3);
  fireEvent.click(await screen.findByText('Close'));
  await waitFor(() => expect(bar.getByRole('status').textContent).toBe('1 selected'));
});

test('selected runs of one system are replayed as a test, those of two systems are not', async () => {
  serve({ resources: answerObjects([run('one', 'Succeeded'), run('two', 'Failed'), run('other', 'Succeeded', { system: 'office' })]) });
  await show();
  const blocked = () => screen.getByRole('button', { name: 'Replay as test' }).getAttribute('aria-disabled') === 'true';
  for (const [name, expected] of [
    ['one', false],
    ['two', false],
    ['other', true],
  ] as const) {
    const row = (await screen.findByRole('link', { name })).closest<HTMLElement>('[role="row"]');
    if (row) fireEvent.click(within(row).getByRole('checkbox'));
    await waitFor(() => expect(blocked()).toBe(expected));
  }
});
