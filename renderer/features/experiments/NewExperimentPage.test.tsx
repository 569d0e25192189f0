// New experiment with the inputs of runs as cases, over a fake server.
import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { installIndexedDb, stored } from '../../testing/fake-indexed-db.ts';
import { refusal, serve } from '../../testing/fake-link.ts';
import { objectOf } from '../../testing/fake-objects.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { NewExperimentPage } from './NewExperimentPage.tsx';

beforeEach(() => {
  installIndexedDb();
  stored.clear();
});

test('the inputs of runs are the first cases, and runs that are gone are named', async () => {
  serve({
    server: { hello: () => ({ identity: { name: 'ann', role: 'writer' }, features: [] }) },
    resources: {
      list: ({ kind }) => ({
        items: kind === 'AgentSystem' ? ['desk', 'office'].map((name) => objectOf(kind, name, { spec: { agents: [] } })) : [],
      }),
      get: ({ name }) => {
        if (name === 'gone') throw refusal('not_found', 'Task ops/gone does not exist');
        return objectOf('Task', name, { spec: { system: 'office', input: { topic: name } } });
      },
    },
  });
  await renderAt('/n/ops/experiment?system=office&run=one&run=gone&run=two', () => <NewExperimentPage />);
  const inputs = await screen.findAllByLabelText<HTMLTextAreaElement>('Input', undefined, { timeout: 10_000 });
  expect(inputs.map(({ value }) => JSON.parse(value) as unknown)).toEqual([{ topic: 'one' }, { topic: 'two' }]);
  expect(screen.getByLabelText<HTMLSelectElement>(/^System/).value).toBe('office');
  expect(screen.getByText(/could not be read.*: gone\./)).toBeDefined();
});
