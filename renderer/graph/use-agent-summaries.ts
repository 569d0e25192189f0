// The agents of a system with their tools, live: the content of the canvas's cards.
import { parseRef } from '@svc/shared/resource';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../live/api.ts';
import { problemOf } from '../live/problem.ts';
import { factsOf, fullName, type AgentFacts, type ObjectWithSpec } from './agent-summary.ts';

const LOADING: AgentFacts = { state: 'loading', tools: [], roles: [] };
const UNREAD: AgentFacts = { state: 'unread', tools: [], roles: [] };
const MISSING: AgentFacts = { state: 'missing', tools: [], roles: [] };

/** One page contains nearly every namespace; further ones are requested by name. */
const OBJECTS_LISTED = 1000;

type Found = ReadonlyMap<string, ObjectWithSpec | 'missing' | 'unread' | undefined>;

interface AgentLists {
  readonly objects: ReadonlyMap<string, ObjectWithSpec>;
  /** Namespaces whose list is loaded, and whether it is complete. */
  readonly complete: ReadonlyMap<string, boolean>;
  /** Namespaces whose list cannot be read. */
  readonly unread: ReadonlySet<string>;
}

/** A list per namespace is one live request, and it also shows which objects are absent. */
function useListed(kind: string, namespaces: readonly string[]): AgentLists {
  return useQueries({
    queries: namespaces.map((namespace) => api.resources.list.queryOptions({ kind, namespace, order: 'name', limit: OBJECTS_LISTED })),
    combine: (results): AgentLists => {
      const objects = new Map<string, ObjectWithSpec>();
      const complete = new Map<string, boolean>();
      const unread = new Set<string>();
      results.forEach(({ data, error }, index) => {
        if (!data) return void (error && unread.add(namespaces[index] ?? ''));
        complete.set(namespaces[index] ?? '', data.continue === undefined);
        for (const item of data.items) objects.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
      });
      return { objects, complete, unread };
    },
  });
}

/** Objects that are drafted and not stored, by kind and full name: `Agent default/triage`. */
export type DraftedObjects = ReadonlyMap<string, ObjectWithSpec>;

const NONE_DRAFTED: DraftedObjects = new Map();

/** Objects by full name; undefined while loading. A draft counts instead of the stored object. */
function useObjects(kind: string, names: readonly string[], drafted: DraftedObjects): Found {
  const homes = useMemo(() => [...new Set(names.map((full) => parseRef(full, '').namespace))], [names]);
  const { objects, complete, unread } = useListed(kind, homes);
  const beyond = useMemo(
    () => names.filter((full) => !objects.has(full) && complete.get(parseRef(full, '').namespace) === false),
    [names, objects, complete],
  );
  const answers = useQueries({
    queries: beyond.map((full) => ({ ...api.resources.get.queryOptions({ kind, ...parseRef(full, '') }), retry: false })),
    combine: (results): Found =>
      new Map(
        results.map(({ data, error }, index) => {
          const absent = error !== null && ['not_found', 'invalid'].includes(problemOf(error).code);
          return [beyond[index] ?? '', absent ? 'missing' : (data ?? (error ? 'unread' : undefined))];
        }),
      ),
  });
  return useMemo(
    () =>
      new Map(
        names.map((full) => {
          const { namespace } = parseRef(full, '');
          const known = drafted.get(`${kind} ${full}`) ?? objects.get(full);
          const otherwise = complete.get(namespace) === true ? 'missing' : answers.get(full);
          return [full, known ?? (unread.has(namespace) ? 'unread' : otherwise)];
        }),
      ),
    [kind, names, objects, complete, unread, answers, drafted],
  );
}

/** Facts by the agents' names as the system has them. */
export function useAgentFacts(
  namespace: string,
  agents: readonly string[],
  drafted: DraftedObjects = NONE_DRAFTED,
): ReadonlyMap<string, AgentFacts> {
  const key = agents.join(' ');
  const names = useMemo(() => key.split(' ').filter((each) => each !== ''), [key]);
  const agentNames = useMemo(() => [...new Set(names.map((name) => fullName(name, namespace)))], [names, namespace]);
  const found = useObjects('Agent', agentNames, drafted);
  const toolKey = useMemo(() => toolNamesOf(found).join(' '), [found]);
  const toolNames = useMemo(() => toolKey.split(' ').filter((each) => each !== ''), [toolKey]);
  const tools = useObjects('Tool', toolNames, drafted);
  return useMemo(() => {
    const settled = [...tools.values()].every((tool) => tool !== undefined && tool !== 'unread');
    const known = new Map([...tools].flatMap(([name, tool]) => (typeof tool === 'object' ? [[name, tool] as const] : [])));
    return new Map(
      names.map((name) => {
        const agent = found.get(fullName(name, namespace));
        if (agent === undefined) return [name, LOADING];
        if (agent === 'unread') return [name, UNREAD];
        return [name, agent === 'missing' ? MISSING : factsOf(agent, settled ? known : undefined)];
      }),
    );
  }, [names, namespace, found, tools]);
}

function toolNamesOf(agents: Found): string[] {
  const names = [...agents.values()].flatMap((agent) =>
    typeof agent === 'object' ? factsOf(agent, undefined).tools.map(({ name }) => fullName(name, agent.metadata.namespace)) : [],
  );
  return [...new Set(names)].sort();
}
