import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { TraceStore } from '../../trace/model/trace-store.ts';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { asRun } from '../model/run.ts';
import { FailureCard } from './FailureCard.tsx';

const completedAt = '2026-01-01T10:27:00.000Z';

async function show(status: object) {
  const run = asRun(objectOf('Task', 'nightly', { spec: { system: 'desk' }, status: { phase: 'Failed', completedAt, ...status } }));
  const trace = { store: new TraceStore(), version: 0, state: { phase: 'ended' } } as unknown as RunTrace;
  await renderAt('/n/ops/tasks/nightly', () => <FailureCard run={run} scope="ops" trace={trace} />);
  return screen.getByRole('heading', { level: 2 });
}

test('a cancelled run names who cancelled it, and when', async () => {
  const heading = await show({ reason: 'cancelled', lastError: 'too slow', cancelledBy: 'ada' });
  expect(heading.textContent).toMatch(/^Cancelled by ada/);
  expect(heading.querySelector('time')?.dateTime).toBe(completedAt);
  expect(screen.getByText('too slow')).toBeDefined();
});

test('a cancelled run of an older version shows the time alone', async () => {
  const heading = await show({ reason: 'cancelled', lastError: 'cancelled on request' });
  expect(heading.textContent).toMatch(/^Cancelled(?! by)/);
  expect(heading.querySelector('time')?.dateTime).toBe(completedAt);
});

test('a failed run keeps its code and shows no canceller', async () => {
  const heading = await show({ reason: 'timeout', lastError: 'no answer' });
  expect(heading.textContent).toBe('It took too longtimeout');
});

test('advice about an unsupported tool names the page Server', async () => {
  await show({ reason: 'unsupported_tool', lastError: 'no such tool' });
  expect(screen.getByText('Check under Server what this server supports.')).toBeDefined();
});
