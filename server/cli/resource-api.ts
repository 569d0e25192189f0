// The generic resource endpoints, typed: one function per request.
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import type { ApiClient } from './client.ts';

/** Objects asked for per request when everything is wanted. */
const PAGE_SIZE = 500;

export interface ObjectKey {
  readonly kind: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

export interface ListFilter {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly sort?: string | undefined;
}

interface PageBody {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

export const objectPath = (key: ObjectKey, action?: string): string =>
  `/v1/${key.kind.plural}/${encodeURIComponent(key.name)}${action ? `/${action}` : ''}`;

export async function getObject(client: ApiClient, key: ObjectKey): Promise<Resource> {
  const { body } = await client.send<Resource>({ method: 'GET', path: objectPath(key), query: { namespace: key.namespace } });
  return body;
}

/** Every match, page by page; at most `max` of them when given. */
export async function* listObjects(
  client: ApiClient,
  kind: KindDefinition,
  filter: ListFilter & { max?: number | undefined },
): AsyncGenerator<readonly Resource[]> {
  const { max, ...query } = filter;
  let left = max ?? Number.POSITIVE_INFINITY;
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE_SIZE, left);
    const { body } = await client.send<PageBody>({ method: 'GET', path: `/v1/${kind.plural}`, query: { ...query, limit, after } });
    yield body.items;
    left -= body.items.length;
    after = body.continue || undefined;
  } while (after !== undefined && left > 0);
}

export async function deleteObject(client: ApiClient, key: ObjectKey, dryRun: boolean): Promise<Resource> {
  const { body } = await client.send<Resource>({
    method: 'DELETE',
    path: objectPath(key),
    query: { namespace: key.namespace, dryRun: dryRun || undefined },
  });
  return body;
}

/** A state-changing call on one object, `POST …/{name}/{action}`. */
export async function postAction(client: ApiClient, key: ObjectKey, action: { name: string; body: unknown }): Promise<Resource> {
  const { body } = await client.send<Resource>({
    method: 'POST',
    path: objectPath(key, action.name),
    query: { namespace: key.namespace },
    body: action.body,
  });
  return body;
}
