// Agent systems that are open to A2A.
import { specOf } from '@svc/shared/kinds/read';
import { A2A_AUTH_MODES } from '@svc/shared/kinds/agent-system/schema';
import type { Store, StoredObject } from '../store/store.ts';

const KIND = 'AgentSystem';
const PAGE = 100;

const isOpen = (system: StoredObject): boolean => specOf('AgentSystem', system).a2a?.enabled === true;

/** Undefined when it does not exist or is not open. */
export async function findOpenSystem(
  store: Pick<Store, 'getObject'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<StoredObject | undefined> {
  const system = await store.getObject({ kind: KIND, namespace, name });
  return system && isOpen(system) ? system : undefined;
}

/** The one open system of all namespaces, or why there is no such one, in one sentence. Systems without settings for A2A are not read. */
export async function findOnlySystem(store: Pick<Store, 'listObjects'>): Promise<StoredObject | string> {
  let only: StoredObject | undefined;
  for await (const system of openSystems(store)) {
    if (only) return 'Several agents are open to A2A; name one in params.system or params.metadata.system. GET /v1/a2a/agents lists them';
    only = system;
  }
  return only ?? 'No agent is open to A2A';
}

export async function* openSystems(store: Pick<Store, 'listObjects'>): AsyncGenerator<StoredObject> {
  for (const value of A2A_AUTH_MODES) {
    const query = { kind: KIND, fields: [{ path: 'spec.a2a.auth', op: 'eq', value }] as const, limit: PAGE };
    let page = await store.listObjects(query);
    for (;;) {
      yield* page.filter(isOpen);
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      page = await store.listObjects({ ...query, after: { namespace: last.namespace, name: last.name } });
    }
  }
}
