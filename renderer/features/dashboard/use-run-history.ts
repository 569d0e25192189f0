// Metrics of runs by hour. The server counts them from the change log, so they are requested again a moment after a run has changed.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { ChangeListener } from '../../live/live-data.ts';
import { api } from '../../live/api.ts';
import { useChanges } from '../../live/use-live.ts';
import { useNow } from '../../ui/clock.ts';
import { Trailing } from './trailing.ts';

/** The server is a few seconds behind its change log; a busy one is asked this often at most. */
const AGAIN_MS = 4_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export function useRunHistory(namespace: string | undefined, hours: number) {
  const input = { hours, ...(namespace !== undefined && { namespace }) };
  const query = useQuery(api.statistics.runs.queryOptions(input, { placeholderData: keepPreviousData }));
  const { refetch } = query;
  const asking = useRef<Trailing>(undefined);
  useEffect(() => {
    const trailing = new Trailing(() => void refetch(), AGAIN_MS);
    asking.current = trailing;
    return () => trailing.stop();
  }, [refetch]);
  const onChanges = useCallback<ChangeListener>((items) => {
    if (items.some(({ kind }) => kind === 'Task')) asking.current?.call();
  }, []);
  useChanges(onChanges);
  // The window advances without changes.
  const hour = Math.floor(useNow(MINUTE_MS) / HOUR_MS);
  const shown = useRef(hour);
  useEffect(() => {
    if (shown.current !== hour) void refetch();
    shown.current = hour;
  }, [hour, refetch]);
  return query;
}
