// Picture of a followed run while its trace arrives.
import { QueryClient } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { systemGraph } from '../../../graph/system-graph.ts';
import { serve } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';
import { useRunOverlay } from './use-run-overlay.ts';

const model = systemGraph({ agents: ['writer'] });

async function follow(status: object) {
  serve({ resources: answerObjects([objectOf('Task', 'run', { spec: { system: 'desk' }, status })]), runs: { followTrace: () => [] } });
  const { result } = renderHook(() => useRunOverlay('ops', 'run', model), { wrapper: queryWrapper(new QueryClient()) });
  await waitFor(() => expect(result.current?.task).toBeDefined());
  return result.current?.overlay;
}

test('a started run has no states before its trace arrives', async () => {
  expect(await follow({ phase: 'Running', startedAt: '2026-01-01T00:00:00.000Z' })).toBeUndefined();
});

test('a run that waits for a worker has started no agent', async () => {
  expect(await follow({ phase: 'Pending' })).toMatchObject({ ended: false });
});
