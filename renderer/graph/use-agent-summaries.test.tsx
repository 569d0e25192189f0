// Facts of agents whose lists the server refuses, or does not hold.
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, serve } from '../testing/fake-link.ts';
import { objectOf } from '../testing/fake-objects.ts';
import { renderAt } from '../testing/render-at.tsx';
import { useAgentFacts } from './use-agent-summaries.ts';

function States({ agents }: { readonly agents: readonly string[] }) {
  const facts = useAgentFacts('ops', agents);
  return <p role="status">{agents.map((name) => `${name} ${facts.get(name)?.state}`).join(', ')}</p>;
}

async function states(list: () => unknown) {
  serve({ resources: { list } });
  await renderAt('/n/ops/agent-systems/desk', () => <States agents={['triage', 'billing']} />);
  return screen.getByRole('status');
}

test('an agent whose list cannot be read is neither loading nor missing', async () => {
  const status = await states(() => Promise.reject(refusal('forbidden', 'not for you')));
  await expect.poll(() => status.textContent).toBe('triage unread, billing unread');
});

test('an agent that a whole list lacks is missing', async () => {
  const status = await states(() => ({ items: [objectOf('Agent', 'triage', { spec: {} })] }));
  await expect.poll(() => status.textContent).toBe('triage found, billing missing');
});
