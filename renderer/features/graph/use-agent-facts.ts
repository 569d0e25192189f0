// The agents of a system with their tools, live: what the cards of the canvas say.
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../live/api.ts';
import { problemOf } from '../../live/problem.ts';
import { factsOf, fullName, type AgentFacts, type Specced } from './agent-facts.ts';

const LOADING: AgentFacts = { state: 'loading', tools: [], roles: [] };
const MISSING: AgentFacts = { state: 'missing', tools: [], roles: [] };

type Found = ReadonlyMap<string, Specced | 'missing' | undefined>;

/** Objects by full name; undefined while on their way. Each is a query of its own, which the live stream keeps in step; they travel in batches. */
function useObjects(kind: string, names: readonly string[]): Found {
  return useQueries({
    queries: names.map((full) => {
      const [namespace = '', name = ''] = full.split('/');
      return { ...api.resources.get.queryOptions({ kind, namespace, name }), retry: false };
    }),
    combine: (results) => {
      const found = new Map<string, Specced | 'missing' | undefined>();
      results.forEach(({ data, error }, index) => {
        const absent = error !== null && ['not_found', 'invalid'].includes(problemOf(error).code);
        found.set(names[index] ?? '', absent ? 'missing' : data);
      });
      return found;
    },
  });
}

/** Facts by the agents' names as the system has them. */
export function useAgentFacts(namespace: string, agents: readonly string[]): ReadonlyMap<string, AgentFacts> {
  const key = agents.join(' ');
  const names = useMemo(() => key.split(' ').filter((each) => each !== ''), [key]);
  const agentNames = useMemo(() => [...new Set(names.map((name) => fullName(name, namespace)))], [names, namespace]);
  const found = useObjects('Agent', agentNames);
  const toolKey = useMemo(() => toolNamesOf(found).join(' '), [found]);
  const toolNames = useMemo(() => toolKey.split(' ').filter((each) => each !== ''), [toolKey]);
  const tools = useObjects('Tool', toolNames);
  return useMemo(() => {
    const settled = [...tools.values()].every((tool) => tool !== undefined);
    const known = new Map([...tools].flatMap(([name, tool]) => (tool === undefined || tool === 'missing' ? [] : [[name, tool] as const])));
    return new Map(
      names.map((name) => {
        const agent = found.get(fullName(name, namespace));
        if (agent === undefined) return [name, LOADING];
        return [name, agent === 'missing' ? MISSING : factsOf(agent, settled ? known : undefined)];
      }),
    );
  }, [names, namespace, found, tools]);
}

function toolNamesOf(agents: Found): string[] {
  const names = [...agents.values()].flatMap((agent) =>
    agent === undefined || agent === 'missing'
      ? []
      : factsOf(agent, undefined).tools.map(({ name }) => fullName(name, agent.metadata.namespace)),
  );
  return [...new Set(names)].sort();
}
