import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { TraceStore } from '../../trace/model/trace-store.ts';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { asRun } from '../model/run.ts';
import { RunActions } from './RunActions.tsx';

async function show(phase: string, search = '') {
  const made = objectOf('Task', 'refunds-retry-1', { spec: { system: 'desk' }, status: { phase: 'Pending' } });
  const retry = vi.fn(() => made);
  serve({ server: { hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }) }, runs: { retry } });
  const run = asRun(objectOf('Task', 'refunds', { spec: { system: 'desk' }, status: { phase } }));
  const store = new TraceStore();
  store.append([{ timestamp: '2026-01-01T00:00:00.000Z', type: 'tool_call', tool: 'refund' }]);
  const trace = { store, version: 1, state: { phase: 'ended' } } as unknown as RunTrace;
  await renderAt(`/n/ops/tasks/refunds${search}`, () => <RunActions run={run} scope="ops" deleted={false} trace={trace} />);
  return { retry, press: async (name: string) => fireEvent.click(await screen.findByRole('button', { name })) };
}

test('a retry of a run that succeeded waits for a confirmation', async () => {
  const { retry, press } = await show('Succeeded');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Retry' }).getAttribute('aria-disabled')).not.toBe('true'));
  await press('Retry');
  expect((await screen.findByRole('dialog', { name: 'Retry refunds?' })).textContent).toContain('may call refund again');
  expect(retry).not.toHaveBeenCalled();
  await press('Retry the run');
  await waitFor(() => expect(retry).toHaveBeenCalledOnce());
});

test('a retry of a failed run starts at once', async () => {
  const { retry, press } = await show('Failed');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Retry' }).getAttribute('aria-disabled')).not.toBe('true'));
  await press('Retry');
  await waitFor(() => expect(retry).toHaveBeenCalledOnce());
});

test('a retry whose answer was lost is repeated with its key, and reports that this is safe', async () => {
  const { retry, press } = await show('Failed');
  retry.mockImplementationOnce(() => Promise.reject(new TypeError('Failed to fetch')) as never);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Retry' }).getAttribute('aria-disabled')).not.toBe('true'));
  await press('Retry');
  await waitFor(() => expect(retry).toHaveBeenCalledOnce());
  await waitFor(() => expect(screen.getByRole('button', { name: 'Retry' }).getAttribute('aria-busy')).not.toBe('true'));
  await press('Retry');
  await waitFor(() => expect(retry).toHaveBeenCalledTimes(2));
  const [first, second] = retry.mock.calls as unknown as readonly [{ key: string }][];
  expect(first?.[0].key).toMatch(/^[0-9a-f]{32}$/);
  expect(second?.[0].key).toBe(first?.[0].key);
});

test('the address of the palette opens the dialog that cancels', async () => {
  await show('Running', '?ask=cancel');
  expect(await screen.findByRole('dialog', { name: 'Cancel refunds?' })).toBeDefined();
});

test('a retry with edits runs in another namespace, where its system exists, or with an earlier version', async () => {
  const made = objectOf('Task', 'refunds-retry-1', { namespace: 'staging', spec: { system: 'desk' }, status: { phase: 'Pending' } });
  const retry = vi.fn(() => made);
  serve({
    server: {
      hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }),
      namespaces: () => ['ops', 'staging', 'bare'],
    },
    resources: {
      versions: ({ namespace }) => {
        if (namespace === 'bare') throw refusal('not_found', 'AgentSystem bare/desk does not exist');
        return { items: [{ generation: 5 }, { generation: 4, replacedAt: '2026-01-01T00:00:00.000Z', createdBy: 'ann' }] };
      },
    },
    runs: { retry },
  });
  const run = asRun(objectOf('Task', 'refunds', { spec: { system: 'desk', input: { topic: 'a' } }, status: { phase: 'Failed' } }));
  const trace = { store: new TraceStore(), version: 1, state: { phase: 'ended' } } as unknown as RunTrace;
  await renderAt('/n/ops/tasks/refunds', () => <RunActions run={run} scope="ops" deleted={false} trace={trace} />);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Retry' }).getAttribute('aria-disabled')).not.toBe('true'));
  fireEvent.click(screen.getByRole('button', { name: 'Retry with edits' }));
  const choose = async (namespace: string) => {
    fireEvent.click(await screen.findByLabelText('Namespace'));
    fireEvent.click(await screen.findByRole('option', { name: namespace }));
  };
  await choose('bare');
  expect(await screen.findByText('There is no system desk in bare.')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Start the run' }).getAttribute('aria-disabled')).toBe('true');
  await choose('staging');
  await screen.findByText('Runs with the agents, tools and Secrets of staging.');
  await screen.findByRole('option', { name: 'Version 4, by ann' });
  fireEvent.change(screen.getByLabelText('Version of the system'), { target: { value: '4' } });
  expect(await screen.findByText(/^Runs as a trial/)).toBeDefined();
  fireEvent.click(screen.getByRole('button', { name: 'Start the run' }));
  await waitFor(() => expect(retry).toHaveBeenCalledOnce());
  const [[request] = []] = retry.mock.calls as unknown as readonly [object][];
  expect(request).toMatchObject({ namespace: 'ops', name: 'refunds', input: { topic: 'a' }, toNamespace: 'staging', systemGeneration: 4 });
});
