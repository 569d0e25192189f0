// Agents for the canvas: those of the namespace, live.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';

export interface ListedAgent {
  /** As a system of this namespace names it. */
  readonly ref: string;
  readonly model: string | undefined;
  readonly tools: number;
}

/** More than anybody scrolls through; the picker accepts any name. */
const AGENTS_MAX = 1000;

export function useAgents(namespace: string): {
  readonly agents: readonly ListedAgent[];
  readonly loading: boolean;
  /** The request is on its way: false also while the machine is offline. */
  readonly arriving: boolean;
  readonly error: unknown;
} {
  const { data, error, isPending, isLoading } = useQuery(
    api.resources.list.queryOptions({ kind: 'Agent', namespace, order: 'name', limit: AGENTS_MAX }),
  );
  const agents = useMemo(
    () =>
      (data?.items ?? []).map((agent): ListedAgent => {
        const { model_ref: model, tools = [] } = specOf('Agent', agent);
        return { ref: agent.metadata.name, model: model || undefined, tools: tools.length };
      }),
    [data],
  );
  return { agents, loading: isPending, arriving: isLoading, error };
}
