// Agents for the canvas: those of the namespace, live.
import { isObject } from '@svc/shared/json';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
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
  readonly error: unknown;
} {
  const { data, error, isPending } = useQuery(
    api.resources.list.queryOptions({ kind: 'Agent', namespace, order: 'name', limit: AGENTS_MAX }),
  );
  const agents = useMemo(
    () =>
      (data?.items ?? []).map(({ metadata, spec }): ListedAgent => {
        const model = isObject(spec) ? spec['model_ref'] : undefined;
        const tools = isObject(spec) ? spec['tools'] : undefined;
        return { ref: metadata.name, model: typeof model === 'string' ? model : undefined, tools: Array.isArray(tools) ? tools.length : 0 };
      }),
    [data],
  );
  return { agents, loading: isPending, error };
}
