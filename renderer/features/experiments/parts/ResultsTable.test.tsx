// The note of a result over a fake server that refuses it at first.
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { ResultsTab } from './ResultsTab.tsx';

const result = (note: string | null, version: number) =>
  ({
    ...{ run: 1, case: 'first', variant: 'today', repeat: 1, task: null, outcome: 'Succeeded', output: 'Hello', output_chars: 5 },
    rating: { thumb: null, note, version },
  }) as unknown as ExperimentResult;

test('a note whose write is refused stays in its dialog, beside the note that somebody else wrote', async () => {
  let stored = result(null, 1);
  const rate = vi.fn(({ version, note }: { version: number; note: string | null }) => {
    if (version === 1) stored = result('theirs', 2);
    if (version === 1) throw refusal('conflict', 'the rating has version 2');
    return { thumb: null, note, version: 3 };
  });
  const results = () => ({ items: [stored] });
  serve({ server: { hello: () => ({ identity: { name: 'ana', role: 'approver' } }) }, experiments: { results, rate } });
  const resource = objectOf('Experiment', 'prompts', {
    spec: { system: 'desk', cases: [{ name: 'first' }], variants: [{ name: 'today' }] },
    status: { phase: 'Succeeded', variants: [] },
  });
  await renderAt('/n/ops/experiments/prompts', () => <ResultsTab resource={resource} />);
  await userEvent.click(await screen.findByRole('button', { name: /note/i }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Note'), 'mine');
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('theirs');
  expect(dialog.getByLabelText('Note')).toHaveProperty('value', 'mine');
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(rate).toHaveBeenLastCalledWith(expect.objectContaining({ note: 'mine', version: 2 }));
});
