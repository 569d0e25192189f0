// Consequence of a deletion, over a fake server.
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { DeleteDialog } from './DeleteDialog.tsx';

const referrer = (kind: string, name: string, namespace = 'ops') => ({ kind, namespace, name, paths: ['spec'] });

async function show(kind: string, items: readonly ReturnType<typeof referrer>[]) {
  serve({ resources: { referrers: () => ({ items, incomplete: false }) } });
  await renderAt('/n/ops/agents', () => <DeleteDialog kind={kind} resources={[objectOf(kind, 'desk')]} onClose={vi.fn()} />);
  return screen.findByRole('dialog', { name: 'Delete desk?' });
}

test('the objects that need a deleted one are named by kind', async () => {
  const systems = Array.from({ length: 8 }, (_, index) => referrer('AgentSystem', `system-${index}`));
  const dialog = await show('Agent', [...systems, referrer('ToolPermission', 'ask', 'shared')]);
  await screen.findByText(/which will not work without it/);
  expect(dialog.textContent).toContain('Used by 8 agent systems and 1 tool permission, which will not work without it.');
  expect(dialog.textContent).toContain('system-4, system-5 and 2 more');
  expect(dialog.textContent).toContain('shared/ask');
});

test('runs of a deleted system are no dependents', async () => {
  const dialog = await show('AgentSystem', [referrer('Task', 'one'), referrer('Task', 'two')]);
  await screen.findByText(/Runs that have begun go on/);
  expect(dialog.textContent).toContain('Named by 2 runs. Runs that have begun go on; later ones fail.');
  expect(dialog.textContent).not.toContain('will not work');
});
