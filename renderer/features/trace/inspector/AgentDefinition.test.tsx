// Comparison with the previous attempt: its changes, an attempt without the agent, or one that could not be read.
import type { AgentDefinition as Definition } from '@svc/shared/api/runs';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { AgentDefinition } from './AgentDefinition.tsx';
import { SpanFold } from '../model/spans.ts';
import { TraceStore } from '../model/trace-store.ts';
import type { RunTrace } from '../model/use-run-trace.ts';

interface DefinitionRequest {
  readonly uid?: string | undefined;
  readonly attempt: number;
}

const answer = vi.fn<(request: DefinitionRequest) => Promise<Definition>>();

beforeEach(() => {
  answer.mockReset();
  serve({ runs: { agentDefinition: answer } });
});

const of = (type: TraceEntry['type'], more: Partial<TraceEntry> = {}): TraceEntry => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  type,
  attempt: 2,
  step: 1,
  agent: 'a',
  branch_id: 'b001',
  ...more,
});

const definition = ({ attempt }: DefinitionRequest): Definition => ({
  agent: 'a',
  prompt: `Prompt ${attempt}.`,
  tools: [],
  withdraws: false,
});

function show(uid = 'u1') {
  const entries = [of('task_start', { step: 0 }), of('agent_start'), of('model_call')];
  const fold = new SpanFold();
  fold.append(entries);
  const span = fold.spans.find(({ kind }) => kind === 'model');
  if (!span) throw new Error('no call');
  const store = new TraceStore();
  store.append(entries);
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  const shown = (run: string) => {
    const trace = { run: { namespace: 'ops', name: 'job' }, uid: run, store } as unknown as RunTrace;
    return (
      <QueryClientProvider client={queryClient}>
        <AgentDefinition span={span} trace={trace} agent="a" messages={[]} inputTokens={undefined} />
      </QueryClientProvider>
    );
  };
  const { rerender } = render(shown(uid));
  return { show: (run: string) => rerender(shown(run)) };
}

test('a changed prompt is compared only while it is open', async () => {
  answer.mockImplementation((request) => Promise.resolve(definition(request)));
  show();
  expect(await screen.findByText('Changed since the attempt before:')).toBeDefined();
  await act(() => vi.dynamicImportSettled());
  expect(screen.queryByText('Prompt 1.', { exact: false })).toBeNull();
  fireEvent.click(screen.getByRole('button', { expanded: false }));
  expect(await screen.findByText('Prompt 1.', { exact: false })).toBeDefined();
});

test('a run created again under the same name is requested separately', async () => {
  answer.mockImplementation((request) => Promise.resolve(definition(request)));
  const again = show('u1');
  await screen.findByText('Changed since the attempt before:');
  again.show('u2');
  await screen.findByText('Changed since the attempt before:');
  expect(answer.mock.calls.map(([{ uid, attempt }]) => [uid, attempt])).toEqual([
    ['u1', 2],
    ['u1', 1],
    ['u2', 2],
    ['u2', 1],
  ]);
});

test('an unreadable previous attempt is not shown as one without the agent', async () => {
  answer.mockImplementation((request) =>
    request.attempt === 2 ? Promise.resolve(definition(request)) : Promise.reject(new Error('away')),
  );
  show();
  await screen.findByRole('alert');
  answer.mockRejectedValue(refusal('not_found', 'no'));
  fireEvent.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByText('The attempt before did not have this agent.')).toBeDefined();
});
