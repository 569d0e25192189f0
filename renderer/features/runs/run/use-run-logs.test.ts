// The log of a run while it ends.
import { renderHook, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { asRun } from '../model/run.ts';
import { useRunLogs } from './use-run-logs.ts';

test('the end of a run reads the last page again, and not the lines before it', async () => {
  const asked: unknown[] = [];
  serve({
    runs: {
      logs: ({ after }) => {
        asked.push(after);
        return after === undefined
          ? { logs: ['one', 'two'], continue: 'second' }
          : { logs: asked.length > 2 ? ['three', 'four'] : ['three'] };
      },
    },
  });
  const run = (phase: string) => asRun(objectOf('Task', 'night', { spec: { system: 'desk' }, status: { phase } }));
  const { result, rerender } = renderHook(({ phase }) => useRunLogs(run(phase)), { initialProps: { phase: 'Running' } });
  await waitFor(() => expect(result.current.lines).toHaveLength(3));
  rerender({ phase: 'Succeeded' });
  expect(result.current.lines).toHaveLength(3);
  await waitFor(() => expect(result.current.lines).toHaveLength(4));
  expect(asked).toEqual([undefined, 'second', 'second']);
});
