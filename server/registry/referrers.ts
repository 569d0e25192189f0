// References to an object, and from it. Referrers are read from a few index ranges per kind, one after the other: first the fields with
// their own index (such as the system of a Task), for each form of a reference, then the index of references.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { kinds } from '@svc/shared/kinds';
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import { PAGE_MAX_BYTES } from '../store/page-bytes.ts';
import type { FieldRequirement, ListQuery, StoredObject, StoreReader } from '../store/store.ts';
import { requireKind } from './mapping.ts';
import { notFound } from './precondition.ts';
import type { OutgoingReference, Referrer, ReferrersPage, RecordsRequest } from './queries.ts';
import { allReferencesOf, hasIndex, refFieldsOf } from './reference-index.ts';

const LIMIT_MAX = 1_000;

/** One range; `field` is the indexed field that it uses, if any. */
interface Range {
  readonly query: Omit<ListQuery, 'limit' | 'after'>;
  readonly field?: string;
}

interface Place {
  readonly range: number;
  readonly after?: { readonly namespace: string; readonly name: string };
}

export async function readReferrers(
  store: StoreReader,
  key: ResourceKey,
  { after, limit }: RecordsRequest,
): Promise<Omit<ReferrersPage, 'incomplete'>> {
  requireKind(key.kind);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalidFields('the request for referrers', [{ path: 'limit', message: `must be a whole number from 1 to ${LIMIT_MAX}` }]);
  const ranges = rangesOf(key);
  const items: (Referrer & { readonly place: string })[] = [];
  let place: Place = after === undefined ? { range: 0 } : parsePlace(after, ranges.length);
  // One more than requested says whether there is another page.
  for (let range = ranges[place.range]; range && items.length <= limit; range = ranges[place.range]) {
    const wanted = limit + 1 - items.length;
    const query = { ...range.query, limit: wanted, ...(place.after && { after: place.after }) };
    const { objects: found, full } = await store.listPage(query, PAGE_MAX_BYTES);
    for (const object of found) {
      const paths = pathsTo(object, key, range);
      const { kind, namespace, name } = object;
      if (paths.length > 0) items.push({ kind, namespace, name, paths, place: `${place.range}/${namespace}/${name}` });
    }
    const last = found.at(-1);
    place = last && (full || found.length === wanted) ? { range: place.range, after: last } : { range: place.range + 1 };
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const shown = page.map(({ kind, namespace, name, paths }) => ({ kind, namespace, name, paths }));
  return items.length > limit && last ? { items: shown, continue: last.place } : { items: shown };
}

/** Kinds in the order in which they can be applied: definitions, then what runs them. */
function rangesOf(key: ResourceKey): Range[] {
  return kinds.flatMap(({ kind }) => {
    const paths = refFieldsOf(requireKind(kind))
      .filter((field) => field.kind === key.kind)
      .map(({ path }) => path);
    const byField = paths.filter(hasIndex).flatMap((path) => fieldRanges(kind, path, key));
    return paths.every(hasIndex) ? byField : [...byField, { query: { kind, references: key } }];
  });
}

/** `namespace/name` anywhere, and the bare name in the object's own namespace. */
function fieldRanges(kind: string, path: string, { namespace, name }: ResourceKey): Range[] {
  const equals = (value: string): FieldRequirement[] => [{ path, op: 'eq', value }];
  return [
    { query: { kind, fields: equals(`${namespace}/${name}`) }, field: path },
    { query: { kind, namespace, fields: equals(name) }, field: path },
  ];
}

/** Empty when another range reports the object, or when the index entry is a stale one of an older version. */
function pathsTo(object: StoredObject, key: ResourceKey, { field }: Range): string[] {
  const paths = allReferencesOf(object)
    .filter(({ kind, namespace, name }) => kind === key.kind && namespace === key.namespace && name === key.name)
    .map(({ path }) => path);
  return field === undefined && paths.some(hasIndex) ? [] : paths;
}

function parsePlace(text: string, ranges: number): Place {
  const [range = '', namespace = '', name = '', ...rest] = text.split('/');
  const valid = /^\d{1,4}$/.test(range) && Number(range) < ranges && !namespaceProblem(namespace) && !nameProblem(name) && !rest.length;
  if (valid) return { range: Number(range), after: { namespace, name } };
  throw new ServiceError('invalid', `"${text.slice(0, 100)}" is not a valid cursor: after takes the "continue" value of the previous page`);
}

/** Throws `not_found` when the object does not exist. */
export async function readRelations(store: StoreReader, key: ResourceKey): Promise<{ outgoing: OutgoingReference[] }> {
  requireKind(key.kind);
  const object = await store.getObject(key);
  if (!object) throw notFound(key);
  const references = allReferencesOf(object);
  const found = await store.readIndexedFields(references);
  return { outgoing: references.map((reference, index) => ({ ...reference, exists: found[index] !== undefined })) };
}
