// Reads of the registry: one object, a page, the namespaces. Redaction happens in mapping.ts; nothing here loads more than a page.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { DEFAULT_NAMESPACE, namespaceProblem } from '@svc/shared/resource';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { PAGE_MAX_BYTES } from '../store/page-bytes.ts';
import type { ListOrder } from '../store/list-order.ts';
import type { PageQuery, Store, StoreReader } from '../store/store.ts';
import type { Count, CountRequest } from './queries.ts';
import type { HookTable } from './hook-sets.ts';
import { assertCursorOf, cursorAfter, orderOf } from './list-order.ts';
import { formatCursor, formatSearchCursor } from './cursor.ts';
import { requireKind, toListedResource, toResource } from './mapping.ts';
import { notFound } from './precondition.ts';
import { checkTextRequest, isTextRequest, searchTexts, type TextRequest } from './text-search.ts';
import type { GetOptions, ListRequest, Page } from './registry.ts';

/** Items of one page. */
const LIMIT_MAX = 1000;
const COUNT_MAX = 10_000;

export interface ReadOptions {
  readonly store: Store;
  readonly hooks: HookTable;
  /** Whether every object is in the index. */
  readonly isIndexed: () => Promise<boolean>;
}

export async function readObject({ store, hooks }: ReadOptions, key: ResourceKey, { brief = false }: GetOptions): Promise<Resource> {
  requireKind(key.kind);
  const stored = await store.getObject(key);
  if (!stored) throw notFound(key);
  return brief ? toListedResource(stored) : expand(hooks, toResource(stored));
}

export async function readPage(options: ReadOptions, request: ListRequest): Promise<Page> {
  const definition = requireKind(request.kind);
  checkList(definition, request);
  if (isTextRequest(request)) {
    checkTextRequest(definition, request);
    return readSearchPage(options, request);
  }
  const { store, hooks, isIndexed } = options;
  const { view, bytesMax = PAGE_MAX_BYTES, order: name = 'name', nameContains, ...filters } = request;
  const order = orderOf(definition, name);
  assertCursorOf(name, order, request.after);
  checkNamePart(nameContains, order);
  // Asked first: what is indexed by then is found.
  const incomplete = typeof order !== 'string' && !(await isIndexed());
  const query: PageQuery = { ...filters, order, limit: request.limit + 1, ...(nameContains !== undefined && { namePart: nameContains }) };
  const { objects, full, examined, reached } = await store.listPage(query, bytesMax);
  const page = objects.slice(0, request.limit);
  const items = view === 'full' ? await expandFitting(hooks, page.map(toResource), bytesMax) : page.map(toListedResource);
  const last = page[items.length - 1];
  const more = full || items.length < objects.length;
  const next = more && last ? cursorAfter(definition, last, name) : reached && formatCursor(reached, name);
  return {
    items,
    ...(next !== undefined && { continue: next }),
    ...(examined !== undefined && { examined }),
    ...(incomplete && { incomplete }),
  };
}

const NAME_PART_MAX_CHARS = 253;

function checkNamePart(nameContains: string | undefined, order: ListOrder): void {
  if (nameContains === undefined) return;
  const refuse = (path: string, message: string) => invalidFields('The request', [{ path, message }]);
  if (nameContains === '' || nameContains.length > NAME_PART_MAX_CHARS)
    throw refuse('nameContains', `must have 1 to ${NAME_PART_MAX_CHARS} characters`);
  if (typeof order !== 'string') throw refuse('sort', 'must be name or createdAt, each also with "-" before it, with nameContains');
}

async function readSearchPage({ store, hooks, isIndexed }: ReadOptions, request: TextRequest): Promise<Page> {
  const bytesMax = request.bytesMax ?? PAGE_MAX_BYTES;
  // Asked first: what is indexed by then is found.
  const indexed = await isIndexed();
  const { objects, places, continue: end, incomplete } = await searchTexts(store, request, bytesMax);
  const items = request.view === 'full' ? await expandFitting(hooks, objects.map(toResource), bytesMax) : objects.map(toListedResource);
  const next = items.length < objects.length ? places[items.length - 1] : end;
  return {
    items,
    ...(next !== undefined && { continue: formatSearchCursor(next) }),
    ...((incomplete || !indexed) && { incomplete: true }),
  };
}

export async function readNamespaces({ store }: ReadOptions): Promise<string[]> {
  return [...new Set([DEFAULT_NAMESPACE, ...(await store.listNamespaces())])].sort();
}

/** The phases of a dashboard are counted one by one: each is a range of its own. */
export async function readCount(store: StoreReader, request: CountRequest): Promise<Count> {
  const max = request.max ?? COUNT_MAX;
  checkSelection(requireKind(request.kind), request);
  if (!Number.isInteger(max) || max < 1 || max > COUNT_MAX)
    throw invalidFields('the count request', [{ path: 'max', message: `must be a whole number from 1 to ${COUNT_MAX}` }]);
  return store.countObjects({ ...request, max });
}

function checkList(definition: KindDefinition, request: ListRequest): void {
  checkSelection(definition, request);
  const { limit } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw invalidFields('the list request', [{ path: 'limit', message: `must be a whole number from 1 to ${LIMIT_MAX}` }]);
  }
}

function checkSelection(definition: KindDefinition, { namespace, fields }: Pick<ListRequest, 'namespace' | 'fields'>): void {
  const fault = namespace === undefined ? undefined : namespaceProblem(namespace);
  if (fault) throw invalidFields('the list request', [{ path: 'namespace', message: fault }]);
  const refused = fields?.find((field) => !definition.fieldSelectors.includes(field.path));
  if (!refused) return;
  const allowed = definition.fieldSelectors.length ? `only ${definition.fieldSelectors.join(', ')}` : 'no fields';
  throw new ServiceError('invalid', `fieldSelector cannot select ${definition.kind} objects by "${refused.path}"; it takes ${allowed}`);
}

/** As many as fit; one at least. */
async function expandFitting(hooks: ReadOptions['hooks'], resources: readonly Resource[], bytesMax: number): Promise<Resource[]> {
  const expanded: Resource[] = [];
  let size = 0;
  for (const resource of resources) {
    const whole = await expand(hooks, resource);
    if (whole !== resource) size += JSON.stringify(whole).length;
    if (size > bytesMax && expanded.length > 0) break;
    expanded.push(whole);
  }
  return expanded;
}

async function expand(hooks: ReadOptions['hooks'], resource: Resource): Promise<Resource> {
  const expandStatus = hooks.get(resource.kind)?.expandStatus;
  return expandStatus ? { ...resource, status: { ...resource.status, ...(await expandStatus(resource)) } } : resource;
}
