// The link to a span: its place on the page of the run; none for a trace that only this tab has.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import doomed from '../fixtures/doomed.json';
import { TraceStore } from '../model/trace-store.ts';
import type { RunTrace } from '../model/use-run-trace.ts';
import { SpanPanel } from './SpanPanel.tsx';

const LABEL = 'Copy the link to this step';

async function show(run: string | undefined) {
  serve({});
  const store = new TraceStore();
  store.append(doomed as TraceEntry[]);
  const trace = { store, version: 1, state: { phase: 'ended' } } as unknown as RunTrace;
  await renderAt('/n/ops/tasks/doomed?span=turn-2', () => <SpanPanel trace={trace} namespace="ops" {...(run !== undefined && { run })} />);
}

test('a span of a run copies its address, and one of a file has none', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await show('doomed');
  fireEvent.click(await screen.findByRole('button', { name: LABEL }));
  await waitFor(() => expect(writeText).toHaveBeenCalledWith(`${window.location.origin}/n/ops/tasks/doomed?span=turn-2`));
  cleanup();
  await show(undefined);
  expect(await screen.findByRole('button', { name: 'Copy span as JSON' })).toBeDefined();
  expect(screen.queryByRole('button', { name: LABEL })).toBeNull();
});
