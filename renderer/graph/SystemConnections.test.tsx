// The connections of a system in sentences.
import type { Resource } from '@svc/shared/resource';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderAt } from '../testing/render-at.tsx';
import { SystemConnections } from './SystemConnections.tsx';

const system = (spec: object) =>
  ({ kind: 'AgentSystem', metadata: { name: 'desk', namespace: 'team' }, spec, status: {} }) as unknown as Resource;

test('each connection names its ends and its condition, and each join its sources', async () => {
  const graph = {
    triage: {
      edges: [
        { to: 'billing', labels: { route: 'billing' } },
        { to: 'answers', policy: { condition: 'on_error' } },
      ],
    },
    billing: { next: 'answers' },
    answers: { join: { mode: 'wait_for_all' }, edges: [{ to: 'triage', labels: { again: 'yes' } }] },
  };
  await renderAt('/n/team/agent-systems/desk', () => (
    <SystemConnections resource={system({ agents: ['triage', 'billing', 'answers'], graph })} />
  ));
  const list = screen.getByRole('list', { name: 'Connections' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([
    'triage→billingif route is billing',
    'triage→answerson error',
    'billing→answerson success',
    'answers→triageif again is yes, a loop',
  ]);
  expect(within(screen.getByRole('list', { name: 'Joins' })).getByRole('listitem').textContent).toContain(
    'answers continues when all 2 arrive',
  );
});

test('agents without a graph run in their order', async () => {
  await renderAt('/n/team/agent-systems/desk', () => <SystemConnections resource={system({ agents: ['a', 'b'] })} />);
  expect(screen.getByRole('listitem').textContent).toContain('a→bin order');
});
