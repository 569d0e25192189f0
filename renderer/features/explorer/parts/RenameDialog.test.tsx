// Renames over a fake server: the preview, the one request, and what a conflict says.
import { fireEvent, screen } from '@testing-library/react';
import { TRPCClientError } from '@trpc/client';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { RenameDialog } from './RenameDialog.tsx';

const SEEN_MS = { timeout: 20_000 };
const desk = (resourceVersion = '1', agents: readonly string[] = ['triage']) =>
  objectOf('AgentSystem', 'desk', { spec: { agents }, resourceVersion });

function conflict(path: string) {
  const error = { code: 'conflict', message: 'changed', details: [{ path, message: 'changed' }] };
  return TRPCClientError.from({ error: { code: -32_000, message: 'changed', data: { error } } } as never);
}

async function show(applyAll: (objects: ReturnType<typeof objectOf>[], input: { documents: unknown[] }) => unknown) {
  const objects = [objectOf('Agent', 'triage'), desk()];
  const onRenamed = vi.fn();
  serve({
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }) },
    resources: {
      ...answerObjects(objects),
      referrers: () => ({ items: [{ kind: 'AgentSystem', namespace: 'ops', name: 'desk', paths: ['spec.agents[0]'] }], incomplete: false }),
      applyAll: (input) => applyAll(objects, input),
    },
  });
  const object = { kind: 'Agent', namespace: 'ops', name: 'triage' };
  await renderAt('/n/ops/agents', () => <RenameDialog object={object} onClose={vi.fn()} onRenamed={onRenamed} />);
  await screen.findByText('Changes with it: 1 agent system', {}, SEEN_MS);
  fireEvent.change(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'router' } });
  const button = screen.getByRole('button', { name: 'Rename' });
  await vi.waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull(), SEEN_MS);
  fireEvent.click(button);
  return onRenamed;
}

test('a rename writes everything at once, again after a write to a status', async () => {
  const sent: unknown[] = [];
  const onRenamed = await show((objects, input) => {
    sent.push(input);
    if (sent.length > 1) return [];
    objects[1] = desk('2');
    throw conflict('documents[1]');
  });
  await vi.waitFor(() => expect(onRenamed).toHaveBeenCalledWith('router'), SEEN_MS);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toMatchObject({ preconditions: [{ mustNotExist: true }, { resourceVersion: '2' }] });
});

test('a taken name is an error of the field', async () => {
  const onRenamed = await show(() => {
    throw conflict('documents[0]');
  });
  await screen.findByText('There is already an agent router in namespace ops', {}, SEEN_MS);
  expect(onRenamed).not.toHaveBeenCalled();
});

test('a concurrent change is shown before it is overwritten', async () => {
  const sent: { documents: unknown[] }[] = [];
  const onRenamed = await show((objects, input) => {
    sent.push(input);
    if (sent.length > 1) return [];
    objects[1] = desk('2', ['triage', 'billing']);
    throw conflict('documents[1]');
  });
  await screen.findByText(/Others changed one of these objects/, {}, SEEN_MS);
  expect(onRenamed).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Rename' }));
  await vi.waitFor(() => expect(onRenamed).toHaveBeenCalledWith('router'), SEEN_MS);
  expect(sent[1]?.documents[1]).toMatchObject({ spec: { agents: ['router', 'billing'] } });
});
