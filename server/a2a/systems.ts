// Agent systems that are open to A2A.
import { specOf } from '@svc/shared/kinds/read';
import { A2A_AUTH_MODES } from '@svc/shared/kinds/agent-system/schema';
import type { Store, StoredObject } from '../store/store.ts';

const KIND = 'AgentSystem';
const PAGE = 100;

const isOpen = (system: StoredObject): boolean => specOf('AgentSystem', system).a2a?.enabled === true;

/** Callers without a token may invoke it. */
export const isPublic = (system: StoredObject): boolean => specOf('AgentSystem', system).a2a?.auth === 'public';

/** Undefined when it does not exist or is not open. */
export async function findOpenSystem(
  store: Pick<Store, 'getObject'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<StoredObject | undefined> {
  const system = await store.getObject({ kind: KIND, namespace, name });
  return system && isOpen(system) ? system : undefined;
}

export const NO_OPEN_SYSTEM = 'No agent is open to A2A';

/** The one open system of all namespaces, or why there is no such one, in one sentence. Systems without settings for A2A are not read. */
export async function findOnlySystem(store: Pick<Store, 'listObjects'>): Promise<StoredObject | string> {
  let only: StoredObject | undefined;
  for await (const system of openSystems(store)) {
    if (only) return 'Several agents are open to A2A; name one in params.system or params.metadata.system. GET /v1/a2a/agents lists them';
    only = system;
  }
  return only ?? NO_OPEN_SYSTEM;
}

async function* openSystems(store: Pick<Store, 'listObjects'>): AsyncGenerator<StoredObject> {
  let cursor: OpenCursor | undefined = START;
  while (cursor) {
    const page: OpenPage = await openPage(store, cursor, PAGE);
    yield* page.systems;
    cursor = page.next;
  }
}

/** A place in the list of open systems, which has a part for each way of signing in. */
export interface OpenCursor {
  readonly mode: number;
  readonly after?: Pick<StoredObject, 'namespace' | 'name'>;
}

export const START: OpenCursor = { mode: 0 };

interface OpenPage {
  readonly systems: readonly StoredObject[];
  /** Absent at the end. */
  readonly next: OpenCursor | undefined;
}

/** Up to `limit` open systems from this place on. */
export async function openPage(store: Pick<Store, 'listObjects'>, { mode, after }: OpenCursor, limit: number): Promise<OpenPage> {
  const value = A2A_AUTH_MODES[mode];
  if (value === undefined) return { systems: [], next: undefined };
  const fields = [{ path: 'spec.a2a.auth', op: 'eq', value }] as const;
  const page = await store.listObjects({ kind: KIND, fields, limit, ...(after && { after }) });
  const last = page.at(-1);
  const more = last && page.length === limit;
  return {
    systems: page.filter(isOpen),
    next: more ? { mode, after: { namespace: last.namespace, name: last.name } } : { mode: mode + 1 },
  };
}
