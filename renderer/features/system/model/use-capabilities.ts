// Capabilities of this server. They are fixed at its start, except for engines that come and go: the worker that checks them reports this
// in its object.
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
