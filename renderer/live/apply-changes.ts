// Effect of an object's change on cached data: pages of lists and single objects. Pure.
import type { WatchItem } from '@svc/shared/api/watch';
import { boundedMemo } from '@svc/shared/bounded-memo';
import { matchesFields, parseFieldSelector } from '@svc/shared/field-selector';
import { matchesLabels, parseLabelSelector } from '@svc/shared/labels';
import { columnSortValues, isIndexedOrder } from '@svc/shared/kinds/column-sorts';
import { valueAtPath } from '@svc/shared/json';
import { taskSearchTexts } from '@svc/shared/kinds/task/search-texts';
import { taskSortValues } from '@svc/shared/kinds/task/sort-values';
import type { Resource } from '@svc/shared/resource';
import { matchesSearch, searchWords } from '@svc/shared/search-text';
import { specOf, statusOf } from '../kinds/read.ts';
import type { ListInput } from './list-selectors.ts';

/** Input of a cached list, as in the query key. */
export type CachedInput = Pick<ListInput, 'kind'> & Partial<ListInput>;

export interface ListPage {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

/** Data of an infinite query. */
export interface ListPages {
  readonly pages: readonly ListPage[];
  readonly pageParams: readonly unknown[];
}

/** Parsed selectors of open lists; the user types further texts. */
const SELECTORS_MAX = 100;
/** These throw like the server, which has refused such a list before. */
const labelsOf = boundedMemo(SELECTORS_MAX, (text) => (text === '' ? [] : parseLabelSelector(text)));
const fieldsOf = boundedMemo(SELECTORS_MAX, (text) => (text === '' ? [] : parseFieldSelector(text)));

/** Whether the list would contain the object. */
export function belongs(input: CachedInput, item: Pick<WatchItem, 'kind' | 'namespace' | 'resource'>): boolean {
  if (item.kind !== input.kind) return false;
  if (input.namespace !== undefined && item.namespace !== input.namespace) return false;
  if (input.nameContains !== undefined && !item.resource.metadata.name.toLowerCase().includes(input.nameContains.toLowerCase()))
    return false;
  if (!matchesLabels(labelsOf(input.labelSelector ?? ''), item.resource.metadata.labels)) return false;
  return matchesFields(fieldsOf(input.fieldSelector ?? ''), item.resource) && (input.q === undefined || isFound(input.q, item.resource));
}

/** Texts that lists of a kind are searched by. */
const SEARCH_TEXTS: Readonly<Record<string, (resource: Resource) => Readonly<Record<string, string>>>> = {
  Task: (resource) => {
    const { name, generation } = resource.metadata;
    return taskSearchTexts({ name, generation, spec: specOf('Task', resource), status: statusOf('Task', resource) });
  },
};

function isFound(search: string, resource: Resource): boolean {
  const texts = SEARCH_TEXTS[resource.kind]?.(resource);
  return texts !== undefined && matchesSearch(texts, searchWords(search));
}

const keyOf = ({ metadata }: Resource): string => `${metadata.namespace}/${metadata.name}`;

/** Whether the change is newer than the cached object; another object of the same name always is. */
function isNewer(next: Resource, known: Resource): boolean {
  return next.metadata.uid !== known.metadata.uid || Number(next.metadata.resourceVersion) > Number(known.metadata.resourceVersion);
}

/** Values that lists of a kind are sorted by, for kinds with orders of their own. */
const SORT_VALUES: Readonly<Record<string, (resource: Resource) => Readonly<Record<string, string>>>> = {
  Task: (resource) => {
    const status = statusOf('Task', resource);
    return { system: specOf('Task', resource).system, phase: status.phase, ...taskSortValues(status) };
  },
};

/** Value of a column that lists are sorted by. */
function columnValue(path: string, resource: Resource): string {
  if (isIndexedOrder(path)) return String(valueAtPath(resource, path));
  return columnSortValues([{ path, sort: true }], resource)[path] ?? '';
}

/** Value of an object in an order, as text; empty where it has none yet. */
function valueIn(name: string, resource: Resource): string {
  if (name === 'createdAt') return resource.metadata.createdAt;
  if (name === 'name') return '';
  const own = SORT_VALUES[resource.kind];
  return own ? (own(resource)[name] ?? '') : columnValue(name, resource);
}

function compare(order: string, a: Resource, b: Resource): number {
  const name = order.replace(/^-/, '');
  const sign = order.startsWith('-') ? -1 : 1;
  const [x, y] = [valueIn(name, a), valueIn(name, b)];
  if (x !== y) return x < y ? -sign : sign;
  // Objects of one system or phase are the newest first.
  if (name === 'system' || name === 'phase' || isIndexedOrder(name)) return a.metadata.createdAt > b.metadata.createdAt ? -1 : 1;
  return (keyOf(a) < keyOf(b) ? -1 : 1) * (name === 'name' ? sign : 1);
}

/** The page of the object: undefined when it comes after all loaded ones and more exist. */
function pageFor(pages: readonly ListPage[], input: CachedInput, resource: Resource): number | undefined {
  const before = pages.findIndex(({ items }) => items.some((item) => compare(input.order ?? 'name', resource, item) < 0));
  if (before >= 0) return before;
  const last = pages.length - 1;
  return pages[last]?.continue === undefined ? Math.max(0, last) : undefined;
}

/** Pages after the changes; the same value when nothing changed, so that nothing renders again. */
export function changeList(data: ListPages, input: CachedInput, items: readonly WatchItem[]): ListPages {
  const changed = new Map(items.map((item) => [`${item.namespace}/${item.name}`, item]));
  const pages = data.pages.map(({ items: old, ...rest }) => {
    let touched = false;
    const kept = old.flatMap((resource) => {
      const key = keyOf(resource);
      const change = changed.get(key);
      if (!change) return [resource];
      changed.delete(key);
      if (change.type !== 'deleted' && !isNewer(change.resource, resource)) return [resource];
      touched = true;
      return change.type === 'deleted' || !belongs(input, change) ? [] : [change.resource];
    });
    return touched ? { ...rest, items: kept } : { ...rest, items: old };
  });
  for (const { type, resource } of changed.values()) if (type !== 'deleted') insert(pages, input, resource);
  const same = pages.every(({ items: now }, index) => now === data.pages[index]?.items);
  return same ? data : { ...data, pages };
}

function insert(pages: ListPage[], input: CachedInput, resource: Resource): void {
  if (!belongs(input, { kind: resource.kind, namespace: resource.metadata.namespace, resource })) return;
  const index = pageFor(pages, input, resource);
  const page = index === undefined ? undefined : pages[index];
  if (index === undefined || !page) return;
  const at = page.items.findIndex((item) => compare(input.order ?? 'name', resource, item) < 0);
  const place = at < 0 ? page.items.length : at;
  pages[index] = { ...page, items: [...page.items.slice(0, place), resource, ...page.items.slice(place)] };
}

/**
 * A single object after a change. Changes omit the heavy parts of a status, which stay as they were loaded. `undefined`: it was deleted.
 */
export function changeObject(known: Resource, item: WatchItem, heavyStatusFields: readonly string[]): Resource | undefined {
  const same = item.resource.metadata.uid === known.metadata.uid;
  if (item.type === 'deleted') return same ? undefined : known;
  if (!isNewer(item.resource, known)) return known;
  const heavy = same ? Object.entries(known.status).filter(([field]) => heavyStatusFields.includes(field)) : [];
  return { ...item.resource, status: { ...Object.fromEntries(heavy), ...item.resource.status } };
}
