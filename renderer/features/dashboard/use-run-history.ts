// The figures of runs by hour. The server counts them from the change log, so they are asked again a moment after a run has changed.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { ChangeListener } from '../../live/live-data.ts';
import { api } from '../../live/api.ts';
import { useChanges } from '../../live/use-live.ts';

/** The server is a few seconds behind its change log; a busy one is asked this often at most. */
const AGAIN_MS = 4_000;

export function useRunHistory(namespace: string | undefined, hours: number) {
  const input = { hours, ...(namespace !== undefined && { namespace }) };
  const query = useQuery(api.statistics.runs.queryOptions(input, { placeholderData: keepPreviousData }));
  const { refetch } = query;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onChanges = useCallback<ChangeListener>(
    (items) => {
      if (timer.current !== undefined || !items.some(({ kind }) => kind === 'Task')) return;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        void refetch();
      }, AGAIN_MS);
    },
    [refetch],
  );
  useChanges(onChanges);
  useEffect(() => () => clearTimeout(timer.current), []);
  return query;
}
