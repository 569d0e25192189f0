// The matrix with a tried change, with a fake server: its progress, and a failed batch.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { MatrixCard } from './MatrixCard.tsx';

const items = Array.from({ length: 9 }, (_, index) => ({ metadata: { name: `n${index}` } }));
const judge = vi.fn();
const CHANGE = [{ kind: 'ToolPermission', metadata: { name: 'erp' } }];
const answered = ({ questions }: { readonly questions: readonly object[] }) =>
  Promise.resolve(questions.map(() => ({ verdict: 'deny', message: '' })));

test('agents with a memory add the columns of its tools, and a drafted one does', async () => {
  const agent = (name: string, ...allow: string[]) => ({ metadata: { name }, spec: { memory: { ref: 'notes', allow } } });
  const far = vi.fn(() => agent('far', 'list'));
  serve({
    resources: {
      list: ({ kind }) => ({ items: kind === 'Agent' ? [agent('clerk', 'search', 'read'), agent('idle', 'write')] : [] }),
      get: ({ kind }) => (kind === 'AgentSystem' ? { metadata: { name: 'desk' }, spec: { agents: ['clerk', 'team/far'] } } : far()),
    },
    access: { check: () => ({ verdict: 'allow', message: '' }), whatIf: answered },
  });
  const columns = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
  const card = (system: string, documents?: object[]) => (
    <QueryClientProvider client={client}>
      <MatrixCard namespace="ops" system={system} agent="" tool="" documents={documents as []} onPick={() => undefined} />
    </QueryClientProvider>
  );
  const client = new QueryClient();
  const { rerender } = render(card(''));
  await waitFor(() => expect(columns()).toEqual(['Agent', 'memory.read', 'memory.write', 'memory.search']));
  rerender(card('desk'));
  await waitFor(() => expect(columns()).toEqual(['Agent', 'memory.read', 'memory.search', 'memory.list']));
  rerender(card('desk', [{ kind: 'Agent', ...agent('clerk', 'ingest') }]));
  await waitFor(() => expect(columns()).toContain('memory.ingest'));
});

test('agents without any of the tools are folded', async () => {
  const answer = ({ agent }: Record<string, unknown>) =>
    agent === 'n3' ? { verdict: 'allow', message: '' } : { verdict: 'deny', code: 'unsupported_tool', message: '' };
  serve({ resources: { list: () => ({ items }) }, access: { check: answer } });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MatrixCard namespace="ops" system="" agent="n5" tool="" documents={undefined} onPick={() => undefined} />
    </QueryClientProvider>,
  );
  const rows = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
  await userEvent.click(await screen.findByRole('button', { name: 'Show 7 agents without these tools' }));
  expect(rows()).toHaveLength(9);
  fireEvent.focus(screen.getAllByRole('gridcell').at(-1)!.firstElementChild!);
  await userEvent.click(screen.getByRole('button', { name: 'Hide 7 agents without these tools' }));
  expect(rows()).toEqual(['n3', 'n5']);
  const reachable = screen.getAllByRole('gridcell').filter(({ firstElementChild }) => firstElementChild?.getAttribute('tabindex') === '0');
  expect(reachable).toHaveLength(1);
});

test('the summary of changes appears once every cell was tried; a failed batch is named and retried', async () => {
  serve({ resources: { list: () => ({ items }) }, access: { check: () => ({ verdict: 'allow', message: '' }), whatIf: judge } });
  let fail: (error: Error) => void = () => undefined;
  judge.mockImplementationOnce(answered).mockReturnValueOnce(new Promise((_, reject) => (fail = reject)));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MatrixCard namespace="ops" system="" agent="" tool="" documents={CHANGE} onPick={() => undefined} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('64 of 81 tried'));
  fail(new Error('Too many at once'));
  await waitFor(() => expect(screen.getByRole('status').textContent).toMatch(/^64 of 81 tried: ./));
  judge.mockImplementation(answered);
  await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('81 cells would change'));
});
