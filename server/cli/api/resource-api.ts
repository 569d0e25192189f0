// The generic resource endpoints, typed: one function per request.
import type { KindDefinition } from '@svc/shared/kinds/define';
import { nameProblem, type Resource } from '@svc/shared/resource';
import { ApiError, type ApiClient, type ApiRequest } from './client.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import type { Hint } from '../program/program-name.ts';

/** Objects per request when everything is wanted. */
const PAGE_SIZE = 500;

export interface ObjectKey {
  readonly kind: KindDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** An object, and the client of the server that has it. */
export interface ObjectHandle {
  readonly client: ApiClient;
  readonly key: ObjectKey;
}

export interface ListFilter {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly sort?: string | undefined;
  /** Words of a search. */
  readonly q?: string | undefined;
  /** Part of the names. */
  readonly nameContains?: string | undefined;
}

interface PageBody {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

/** A name as a segment of a path. A name such as `..`, by which the path would mean another object, is refused. */
export function nameSegment(name: string): string {
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError(`"${name}" is not a valid name: it ${problem}`);
  return encodeURIComponent(name);
}

export const objectPath = (key: ObjectKey, action?: string): string =>
  `/v1/${key.kind.plural}/${nameSegment(key.name)}${action ? `/${action}` : ''}`;

interface AboutRequest extends Omit<ApiRequest, 'path'> {
  /** Path below that of the object. */
  readonly below?: string | undefined;
}

/** A request about one object, or about a part of it. Answers with the body. */
export async function sendAbout<Body = Resource>(
  client: ApiClient,
  key: ObjectKey,
  { below, query, ...request }: AboutRequest,
): Promise<Body> {
  const path = objectPath(key, below);
  // A 404 of a deeper path may mean a part of the object.
  const absent: Hint | undefined = below?.includes('/') ? undefined : (svcctl) => `list them with "${svcctl} get ${key.kind.plural} -A"`;
  return (await client.send<Body>({ ...request, path, absent, query: { namespace: key.namespace, ...query } })).body;
}

/** Makes an object whose name must be new; `taken` is the hint where it is not. */
export async function createObject(client: ApiClient, key: ObjectKey, { body, taken }: { body: unknown; taken: Hint }): Promise<Resource> {
  const { kind, namespace, name } = key;
  try {
    const made = await client.send<Resource>({
      method: 'POST',
      path: `/v1/${kind.plural}`,
      query: { namespace },
      headers: { 'if-none-match': '*' },
      body,
    });
    return made.body;
  } catch (error) {
    if (!isConflict(error) || (await getObject(client, key).catch(() => undefined)) === undefined) throw error;
    throw new CliError(`${kind.kind} ${namespace}/${name} already exists`, { hint: taken, cause: error });
  }
}

export const getObject = (client: ApiClient, key: ObjectKey): Promise<Resource> => sendAbout(client, key, { method: 'GET' });

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

export interface PatchRequest {
  readonly patch: unknown;
  /** The version that the patch is meant for; any other version is a conflict. */
  readonly version?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Changes spec, labels and annotations by an RFC 7386 merge patch. */
export async function patchObject(client: ApiClient, key: ObjectKey, { patch, version, dryRun }: PatchRequest): Promise<Resource> {
  return sendAbout(client, key, {
    method: 'PATCH',
    query: { dryRun: dryRun || undefined },
    text: { content: JSON.stringify(patch), type: 'application/merge-patch+json' },
    ...(version !== undefined && { headers: { 'if-match': version } }),
  });
}

/** Replaces spec, labels and annotations of the version that the object names; any other version is a conflict. */
export async function replaceObject(
  client: ApiClient,
  key: ObjectKey,
  write: { object: Resource; dryRun?: boolean | undefined },
): Promise<Resource> {
  return sendAbout(client, key, { method: 'PUT', query: { dryRun: write.dryRun || undefined }, body: write.object });
}

const CONFLICT_TRIES_MAX = 5;

/** Reads an object and writes what `change` makes of it; a concurrent write repeats both. Answers undefined when nothing changes. */
export async function changeObject(
  client: ApiClient,
  key: ObjectKey,
  { change, dryRun }: { readonly change: (current: Resource) => unknown; readonly dryRun?: boolean | undefined },
): Promise<Resource | undefined> {
  for (let tries = 1; ; tries += 1) {
    const current = await getObject(client, key);
    const patch = change(current);
    if (patch === undefined) return undefined;
    try {
      return await patchObject(client, key, { patch, version: current.metadata.resourceVersion, dryRun });
    } catch (error) {
      if (!isConflict(error) || tries === CONFLICT_TRIES_MAX) throw error;
    }
  }
}

/** The object that POST of a whole document would make or leave; nothing is written. */
export async function dryRunObject(client: ApiClient, key: ObjectKey, document: unknown): Promise<Resource> {
  const { body } = await client.send<Resource>({
    method: 'POST',
    path: `/v1/${key.kind.plural}`,
    query: { namespace: key.namespace, dryRun: true },
    body: document,
    quiet: true,
  });
  return body;
}

export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

export const deleteObject = (client: ApiClient, key: ObjectKey, dryRun: boolean): Promise<Resource> =>
  sendAbout(client, key, { method: 'DELETE', query: { dryRun: dryRun || undefined } });

/** A state-changing call on one object, `POST …/{name}/{action}`. */
export const postAction = (client: ApiClient, key: ObjectKey, { name, body }: { name: string; body: unknown }): Promise<Resource> =>
  sendAbout(client, key, { method: 'POST', below: name, body });

/** Items of every page of a list. */
export async function everyPage<Item>(client: ApiClient, path: string, query: ApiRequest['query'] = {}): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | undefined; ;) {
    const request = { method: 'GET', path, query: { ...query, after } } as const;
    const { body } = await client.send<{ items: readonly Item[]; continue?: string }>(request);
    items.push(...body.items);
    if (!body.continue) return items;
    after = body.continue;
  }
}
