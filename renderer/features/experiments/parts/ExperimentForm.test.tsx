// Form of a new experiment over a fake server.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { installIndexedDb, stored } from '../../../testing/fake-indexed-db.ts';
import { serve } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { emptyDraft } from '../model/draft.ts';
import { ExperimentForm } from './ExperimentForm.tsx';

beforeEach(() => {
  installIndexedDb();
  stored.clear();
});

const ESTIMATE = { runs: 1, tokens: 10, cost_usd: 0, based_on: 3, problems: [] };

async function show(estimate: () => unknown) {
  const onStarted = vi.fn();
  const write = vi.fn(() => ({ resource: objectOf('Experiment', 'tone') }));
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' }, features: [] }) },
    resources: { ...answerObjects([objectOf('Agent', 'writer', { spec: { prompt: 'Be kind.' } })]), write },
    experiments: { estimate },
  });
  const first = { ...emptyDraft('desk'), cases: [{ id: 1, name: 'one', text: '{ "topic": "tides" }' }] };
  const systems = ['desk', 'office'].map((name) => ({ name, agents: ['writer'] }));
  await renderAt('/n/ops/experiment', () => <ExperimentForm namespace="ops" {...{ systems, first, onStarted }} />);
  fireEvent.change(screen.getAllByLabelText(/^Name/)[0] as HTMLElement, { target: { value: 'tone' } });
  return { onStarted, write };
}

test('a press before the estimate arrives starts the experiment once', async () => {
  let answer: (estimate: typeof ESTIMATE) => void = () => undefined;
  const { onStarted, write } = await show(() => new Promise((resolve) => (answer = resolve)));
  fireEvent.click(screen.getByRole('button', { name: 'Start' }));
  expect(write).not.toHaveBeenCalled();
  await waitFor(() => {
    answer(ESTIMATE);
    expect(onStarted).toHaveBeenCalledWith('tone');
  });
  expect(write).toHaveBeenCalledOnce();
});

test('a change after the press of Start cancels it', async () => {
  const { write } = await show(() => ESTIMATE);
  const repeats = screen.getByLabelText('Repeats');
  fireEvent.change(repeats, { target: { value: '3' } });
  fireEvent.click(screen.getByRole('button', { name: 'Start' }));
  fireEvent.change(repeats, { target: { value: '2' } });
  await screen.findByRole('button', { name: 'Start 1 run' });
  expect(write).not.toHaveBeenCalled();
});

test('an edited prompt begins with the current one', async () => {
  await show(() => ESTIMATE);
  fireEvent.change(screen.getByRole('combobox', { name: 'Runs' }), { target: { value: 'prompt' } });
  const prompt = await screen.findByLabelText<HTMLTextAreaElement>('Prompt');
  await waitFor(() => expect(prompt.value).toBe('Be kind.'));
  fireEvent.change(prompt, { target: { value: '' } });
  expect(prompt.value).toBe('');
});

test('another system keeps the cases and numbers that were entered', async () => {
  await show(() => ESTIMATE);
  fireEvent.change(screen.getByLabelText('Repeats'), { target: { value: '3' } });
  fireEvent.change(screen.getByRole('combobox', { name: /^System/ }), { target: { value: 'office' } });
  expect(screen.getByLabelText('Repeats')).toHaveProperty('value', '3');
  expect(screen.getByDisplayValue('{ "topic": "tides" }')).toBeDefined();
});
