// Takes one action on several runs, a few at a time, and tells how each of them went. Can be stopped: what has not begun is then left.
import { useMutation } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { client } from '../../live/api.ts';
import { shownError } from '../../ui/shown-error.ts';
import { queuedAll, type BatchAction, type BatchProgress, type ItemState } from './batch.ts';
import { asRun, phaseOf, runKey, type Run } from './run.ts';

const AT_ONCE = 4;

async function act(action: BatchAction, run: Run): Promise<ItemState> {
  const { namespace, name } = run.metadata;
  const procedure = action === 'cancel' ? client.runs.cancel : client.runs.retry;
  try {
    const answer = asRun(await procedure.mutate({ namespace, name }));
    const made = action === 'retry' && { made: { namespace: answer.metadata.namespace, name: answer.metadata.name } };
    return { state: 'done', phase: phaseOf(answer), ...made };
  } catch (error) {
    return { state: 'failed', error: shownError(error) };
  }
}

export function useBatch() {
  const [progress, setProgress] = useState<BatchProgress>();
  const stopped = useRef(false);
  const note = useCallback((key: string, state: ItemState) => setProgress((now) => new Map(now).set(key, state)), []);
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ action, runs }: { action: BatchAction; runs: readonly Run[] }) => {
      const waiting = [...runs];
      const work = async () => {
        for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
          const key = runKey(run);
          if (!stopped.current) note(key, { state: 'running' });
          note(key, stopped.current ? { state: 'skipped' } : await act(action, run));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
  });
  const start = (action: BatchAction, runs: readonly Run[]) => {
    stopped.current = false;
    setProgress(queuedAll(runs));
    mutate({ action, runs });
  };
  return {
    progress,
    busy: isPending,
    start,
    stop: () => {
      stopped.current = true;
    },
    reset: () => setProgress(undefined),
  };
}
