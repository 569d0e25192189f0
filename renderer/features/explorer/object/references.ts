// References of an object by their place in it, so that the value there can be a link that shows whether its target exists.
import type { ResourceKey } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { api } from '../../../live/api.ts';

export interface Outgoing extends ResourceKey {
  readonly path: string;
  readonly exists: boolean;
}

export type ReferencesByPath = ReadonlyMap<string, Outgoing>;

const NONE: ReferencesByPath = new Map();

export const References = createContext<ReferencesByPath>(NONE);

/** The reference at `path`, `spec.tools[2]`. */
export function useReferenceAt(path: string): Outgoing | undefined {
  return useContext(References).get(path);
}

export function useReferences({ kind, namespace, name }: ObjectRef, enabled = true): ReferencesByPath {
  const { data } = useQuery(api.resources.relations.queryOptions({ kind, namespace, name }, { enabled }));
  return useMemo(() => (data ? new Map(data.outgoing.map((each) => [each.path, each])) : NONE), [data]);
}
