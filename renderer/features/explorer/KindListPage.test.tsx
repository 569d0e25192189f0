// List of a kind's objects over a fake server: rows, filters, selection, and reasons for an empty list.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../testing/fake-objects.ts';
import { giveLayout } from '../../testing/layout.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { KindListPage } from './KindListPage.tsx';

giveLayout();

const AGENTS = [
  objectOf('Agent', 'clerk', { labels: { team: 'desk' } }),
  objectOf('Agent', 'writer'),
  objectOf('Agent', 'elsewhere', { namespace: 'desk' }),
];
const show = (address: string, objects = AGENTS) => {
  serve({ resources: answerObjects(objects), server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }) } });
  return renderAt(address, KindListPage, '/n/$ns/$plural');
};
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

test('the list shows the objects of the namespace and their count', async () => {
  await show('/n/ops/agents');
  await waitFor(() => expect(names()).toEqual(['clerk', 'writer']));
  expect(screen.getByRole('heading', { name: 'Agents' })).toBeDefined();
  await waitFor(() => expect(screen.getByText('2 agents')).toBeDefined());
});

test('the list over all namespaces shows the objects of each', async () => {
  await show('/n/-/agents');
  await waitFor(() => expect(names()).toEqual(['clerk', 'writer', 'elsewhere']));
});

test('agents and systems show how often they ran, how that ended and what it cost, as far as it is known', async () => {
  const none = { started: 0, succeeded: 0, failed: 0, deadLettered: 0, cancelled: 0, denied: 0, tokens: 0, costUsd: 0, unpricedRuns: 0 };
  const busy = { ...none, succeeded: 6, failed: 1, deadLettered: 1, cancelled: 2, costUsd: 1.5, unpricedRuns: 1 };
  const use = vi.fn(({ of }: { of: { name: string } }) =>
    of.name === 'clerk' ? { ...busy, lastEndedAt: new Date().toISOString() } : none,
  );
  serve({
    resources: answerObjects(AGENTS),
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }) },
    statistics: { use },
  });
  await renderAt('/n/ops/agents', KindListPage, '/n/$ns/$plural');
  const cells = (name: string) => within(screen.getByRole('row', { name: new RegExp(name) })).getAllByRole('gridcell');
  await waitFor(() =>
    expect(cells('clerk').map(({ textContent }) => textContent)).toEqual(expect.arrayContaining(['10', '75%', '≥ $1.50'])),
  );
  expect(cells('writer').map(({ textContent }) => textContent)).toEqual(expect.arrayContaining(['0', '–']));
  expect(use).toHaveBeenCalledTimes(2);
});

test('runs that have not ended yet are counted', async () => {
  const use = { started: 45, succeeded: 0, failed: 0, deadLettered: 0, cancelled: 0, denied: 0, tokens: 0, costUsd: 0, unpricedRuns: 0 };
  serve({
    resources: answerObjects([objectOf('AgentSystem', 'desk')]),
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }) },
    statistics: { use: () => use },
  });
  await renderAt('/n/ops/agent-systems', KindListPage, '/n/$ns/$plural');
  expect((await screen.findByTitle(/^45 not ended/)).textContent).toBe('45');
  expect(screen.getByText('open')).toBeDefined();
});

test('the last run is one that has begun or ended', async () => {
  const counts = { started: 2, succeeded: 1, failed: 0, deadLettered: 0, cancelled: 0, denied: 0, tokens: 0, costUsd: 0, unpricedRuns: 0 };
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const lastStartedAt = ago(5);
  serve({
    resources: answerObjects([objectOf('AgentSystem', 'desk')]),
    server: { hello: () => ({ time: ago(0), identity: { name: 'ana', role: 'writer' }, features: [] }) },
    statistics: { use: () => ({ ...counts, lastEndedAt: ago(90), lastStartedAt }) },
  });
  await renderAt('/n/ops/agent-systems', KindListPage, '/n/$ns/$plural');
  const began = await screen.findByText((_, element) => element?.tagName === 'TIME' && element.getAttribute('datetime') === lastStartedAt);
  expect(began.closest('[role="gridcell"]')).not.toBeNull();
});

test('a label of the address filters the list, and an empty result clears it', async () => {
  const { go } = await show('/n/ops/agents?labels=team%3Ddesk');
  await waitFor(() => expect(names()).toEqual(['clerk']));
  await go('/n/ops/agents?labels=team%3Dnone');
  expect(await screen.findByText('No agents match these filters')).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(names()).toEqual(['clerk', 'writer']));
});

test('selected objects get their own actions until the selection is cleared', async () => {
  await show('/n/ops/agents');
  await waitFor(() => expect(names()).toHaveLength(2));
  fireEvent.click(screen.getAllByRole('checkbox')[1] as HTMLElement);
  const actions = await screen.findByRole('toolbar', { name: 'Selected objects' });
  expect(within(actions).getByText('1 agent selected')).toBeDefined();
  fireEvent.click(within(actions).getByRole('button', { name: 'Clear the selection' }));
  expect(screen.queryByRole('toolbar', { name: 'Selected objects' })).toBeNull();
});

test('an empty namespace offers to create an object', async () => {
  await show('/n/ops/agents', []);
  expect(await screen.findByText('No agents yet')).toBeDefined();
});

test('an unknown kind of the address has a page of its own', async () => {
  await show('/n/ops/gremlins');
  expect(await screen.findByText('There is no kind "gremlins"')).toBeDefined();
  expect(screen.getByText(/choose a kind in the navigation/)).toBeDefined();
});
