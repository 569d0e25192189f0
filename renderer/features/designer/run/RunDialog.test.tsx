// The form that starts a run, when a review of the changes takes its place for a while.
import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { NO_TRIAL, WHOLE } from '../../trials/model/trial-draft.ts';
import { RunDialog } from './RunDialog.tsx';

function Designer() {
  const [reviewing, setReviewing] = useState(false);
  const [running, setRunning] = useState(true);
  const trial = { nodes: [], draft: NO_TRIAL, onDraft: vi.fn(), scope: WHOLE };
  return (
    <>
      <button type="button" onClick={() => setReviewing(!reviewing)}>
        Review
      </button>
      <button type="button" onClick={() => setRunning(true)}>
        Run again
      </button>
      <RunDialog
        open={running && !reviewing}
        onClose={() => setRunning(false)}
        {...{ namespace: 'ops', system: 'desk', cycle: undefined, changes: undefined, trial }}
        prepare={() => Promise.resolve(true)}
        onStarted={vi.fn()}
      />
    </>
  );
}

const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: /^Value of/ });
const press = (text: string) => fireEvent.click(screen.getByText(text));

test('the input that was typed stays during a review, until the form is closed', async () => {
  serve({ server: { hello: () => ({ identity: { role: 'writer' } }) }, resources: { list: () => ({ items: [] }) } });
  await renderAt('/n/ops/agent-systems/desk', Designer);
  const first = (await field()).value;
  fireEvent.change(await field(), { target: { value: 'the invoices of May' } });
  press('Review');
  expect(screen.queryByRole('textbox', { name: /^Value of/ })).toBeNull();
  press('Review');
  expect((await field()).value).toBe('the invoices of May');
  press('Cancel');
  press('Run again');
  expect((await field()).value).toBe(first);
});
