// Missing references of the agents of a system: models, tools, roles, memories, and the secrets of their models. Live.
import { describeKey, parseRef, type ResourceKey } from '@svc/shared/resource';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Outputs } from '../../../live/api.ts';
import { describeRef, type MissingReference } from './problems.ts';

type Outgoing = Outputs['resources']['relations']['outgoing'][number];

function useOutgoing(keys: readonly ResourceKey[]): ReadonlyMap<string, readonly Outgoing[]> {
  return useQueries({
    queries: keys.map((key) => ({ ...api.resources.relations.queryOptions(key), retry: false })),
    combine: (results) =>
      new Map(
        results.map(
          ({ data }, index) => [describeKey(keys[index] ?? { kind: '', namespace: '', name: '' }), data?.outgoing ?? []] as const,
        ),
      ),
  });
}

/** A missing reference with the object that it names. */
export interface MissingObject extends MissingReference {
  readonly key: ResourceKey;
}

/** `agents` as the system names them. Missing agents are not checked. */
export function useMissingReferences(namespace: string, agents: readonly string[]): readonly MissingObject[] {
  const list = agents.join(' ');
  const keys = useMemo(
    () =>
      list
        .split(' ')
        .filter((each) => each !== '')
        .map((ref) => ({ kind: 'Agent', ...parseRef(ref, namespace) })),
    [list, namespace],
  );
  const ofAgents = useOutgoing(keys);
  const models = useMemo(() => {
    const all = [...ofAgents.values()].flat().filter(({ kind, exists }) => kind === 'ModelEndpoint' && exists);
    return [...new Map(all.map((each) => [describeKey(each), { kind: each.kind, namespace: each.namespace, name: each.name }])).values()];
  }, [ofAgents]);
  const ofModels = useOutgoing(models);
  return useMemo(() => {
    const refs = list.split(' ').filter((each) => each !== '');
    return refs.flatMap((agent, index) => {
      const own = ofAgents.get(describeKey(keys[index] ?? { kind: '', namespace: '', name: '' })) ?? [];
      const through = own.filter(({ kind }) => kind === 'ModelEndpoint').flatMap((model) => ofModels.get(describeKey(model)) ?? []);
      return [...own, ...through]
        .filter(({ exists }) => !exists)
        .map((each) => ({ agent, object: describeRef(each, namespace), path: each.path, key: each }));
    });
  }, [list, namespace, keys, ofAgents, ofModels]);
}
