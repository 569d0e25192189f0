// The fleet. Workers serve all namespaces and live in one, so they are read whatever namespace the shell is set to; the live stream follows
// them there too.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../live/api.ts';
import { readWorker } from './worker.ts';

const READ_MAX = 1000;

export function useWorkers() {
  const query = useQuery(api.resources.list.queryOptions({ kind: 'Worker', order: 'name', limit: READ_MAX }));
  const workers = useMemo(() => (query.data?.items ?? []).map(readWorker), [query.data]);
  return { ...query, workers, cut: query.data?.continue !== undefined };
}
