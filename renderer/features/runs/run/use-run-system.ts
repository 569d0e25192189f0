// The agent system of a run as it is now, and whether it has changed since the run began.
import type { AgentSystemSpec } from '@svc/shared/kinds/agent-system/rules';
import { useQuery } from '@tanstack/react-query';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { systemOf, type Run } from '../model/run.ts';

export interface RunSystem {
  readonly namespace: string;
  readonly name: string;
  readonly spec: AgentSystemSpec | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly generation: number | undefined;
  /** It was written after the run had begun: the picture may differ from the run. */
  readonly changedSince: boolean;
  readonly loading: boolean;
  readonly deleted: boolean;
  /** Null if its spec could be read. */
  readonly error: unknown;
  readonly retry: () => void;
}

export function useRunSystem(run: Run): RunSystem {
  const ref = systemOf(run);
  const { data, isPending, error, refetch } = useQuery(api.resources.get.queryOptions(ref));
  const began = run.status.startedAt ?? run.metadata.createdAt;
  return {
    namespace: ref.namespace,
    name: ref.name,
    spec: data && specOf('AgentSystem', data),
    annotations: data?.metadata.annotations,
    generation: data?.metadata.generation,
    changedSince: data !== undefined && data.metadata.generation > 1 && data.metadata.updatedAt > began,
    loading: isPending,
    deleted: data === undefined && error !== null && problemOf(error).code === 'not_found',
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  };
}
