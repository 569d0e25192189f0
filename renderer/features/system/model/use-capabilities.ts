// What this server can do. It is set when the server starts, but for engines that come and go: the worker that asks them says so in its object.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../../live/api.ts';
import { useWorkers } from '../../workers/model/use-workers.ts';
import { isolationOf } from '../../workers/model/worker.ts';

export function useCapabilities() {
  const query = useQuery(api.server.capabilities.queryOptions());
  const { data, workers } = useWorkers();
  const isolation = data && isolationOf(workers);
  const before = useRef(isolation);
  const { refetch } = query;
  useEffect(() => {
    if (before.current !== undefined && before.current !== isolation) void refetch();
    before.current = isolation;
  }, [isolation, refetch]);
  return query;
}
