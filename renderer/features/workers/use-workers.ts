// The fleet. Workers serve all namespaces and live in one, so they are read whatever namespace the shell is set to.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useScope } from '../../app/scope.ts';
import { api } from '../../live/api.ts';
import { readWorker } from './worker.ts';

const READ_MAX = 1000;
/** The namespace in which servers register their workers. */
export const WORKER_NAMESPACE = 'default';
/** The tab's live stream follows the shell's namespace only. */
const AGAIN_MS = 5_000;

export function useWorkers() {
  const { namespace } = useScope();
  const followed = namespace === undefined || namespace === WORKER_NAMESPACE;
  const input = { kind: 'Worker', order: 'name' as const, limit: READ_MAX };
  const query = useQuery(api.resources.list.queryOptions(input, followed ? {} : { refetchInterval: AGAIN_MS }));
  const workers = useMemo(() => (query.data?.items ?? []).map(readWorker), [query.data]);
  return { ...query, workers, cut: query.data?.continue !== undefined };
}
