// Template of a trigger, and Secret of a webhook, created beside the fields that name them.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { NewForm } from './NewForm.tsx';

const SCHEDULE = 'kind: TaskSchedule\nmetadata: { name: nightly }\nspec: { task_ref: "", schedule: "0 3 * * *" }\n';

test('a schedule offers templates only, and takes the name of one that is created beside it', async () => {
  const lists: unknown[] = [];
  const writes: unknown[] = [];
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' } }) },
    resources: {
      list: (input) => {
        lists.push(input);
        return { items: [objectOf('Task', 'weekly', { namespace: 'ops' })] };
      },
      search: () => [{ kind: 'AgentSystem', namespace: 'ops', name: 'desk' }],
      write: (input) => {
        writes.push(input);
        return { resource: objectOf('Task', 'nightly-report', { namespace: 'ops' }) };
      },
    },
  });
  let written = '';
  function Part() {
    const [text, setText] = useState(SCHEDULE);
    written = text;
    return <NewForm kind={kindNamed('TaskSchedule') as KindSummary} namespace="ops" text={text} onChange={setText} diagnostics={[]} />;
  }
  await renderAt('/', () => <Part />);
  fireEvent.click(await screen.findByLabelText(/^Task/));
  await screen.findByText('weekly');
  expect(lists).toEqual([expect.objectContaining({ kind: 'Task', namespace: 'ops', fieldSelector: 'spec.mode=template' })]);

  fireEvent.click(screen.getByText('New template'));
  const dialog = within(await screen.findByRole('dialog', { name: 'New template' }));
  fireEvent.change(dialog.getByLabelText(/^Name/), { target: { value: 'nightly-report' } });
  fireEvent.click(await dialog.findByLabelText(/^System/));
  fireEvent.click(await dialog.findByText('desk'));
  fireEvent.click(dialog.getByText('Create'));
  await waitFor(() => expect(written).toContain('task_ref: "nightly-report"'));
  const body = expect.objectContaining({ spec: { mode: 'template', system: 'desk', input: {} } }) as unknown;
  expect(writes).toEqual([expect.objectContaining({ kind: 'Task', namespace: 'ops', mode: 'create', body })]);
});

test('the Secret of a webhook is created beside its field, with a random value', async () => {
  const writes: unknown[] = [];
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' } }), capabilities: () => [] },
    resources: {
      write: (input) => {
        writes.push(input);
        return { resource: objectOf('Secret', 'shop-key', { namespace: 'ops' }) };
      },
    },
  });
  let written = '';
  function Part() {
    const [text, setText] = useState(
      'kind: TaskWebhook\nmetadata: { name: orders }\nspec: { task_ref: report, auth: { secret_ref: "" } }\n',
    );
    written = text;
    return <NewForm kind={kindNamed('TaskWebhook') as KindSummary} namespace="ops" text={text} onChange={setText} diagnostics={[]} />;
  }
  await renderAt('/', () => <Part />);
  await screen.findByRole('button', { name: 'New Secret' });
  // Looked up each time: a part of the form that is loaded later replaces it.
  const button = () => screen.getByRole('button', { name: 'New Secret' });
  await waitFor(() => expect(button().getAttribute('aria-disabled')).not.toBe('true'));
  fireEvent.click(button());
  const dialog = within(await screen.findByRole('dialog', { name: 'New Secret' }));
  fireEvent.change(dialog.getByLabelText(/^Name/), { target: { value: 'shop-key' } });
  fireEvent.click(dialog.getByText('Generate a value'));
  fireEvent.click(dialog.getByText('Create'));
  await waitFor(() => expect(written).toContain('secret_ref: "shop-key"'));
  const body = expect.objectContaining({ spec: { stringData: { value: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown } } }) as unknown;
  expect(writes).toEqual([expect.objectContaining({ kind: 'Secret', namespace: 'ops', mode: 'create', body })]);
});
