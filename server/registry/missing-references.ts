// `status.lastError` of objects that name others which do not exist: set by the write of the object, renewed by a controller when the others come and go.
import { kinds } from '@svc/shared/kinds';
import type { Reference } from '@svc/shared/kinds/define';
import { isBuiltInTool } from '@svc/shared/kinds/tool/built-in';
import { describeKey } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { requireKind } from './mapping.ts';
import type { Status } from './own-writes.ts';
import { allReferencesOf, refFieldsOf } from './reference-index.ts';

/** True for a reference that leads to something else than an object, such as a variable in place of a Secret. */
export type IsProvided = (reference: Reference) => boolean;

/** References that a status names; it counts the others. */
const NAMED_MAX = 5;

const isRecord = (kind: string): boolean => requireKind(kind).isRecord;
/** References whose status it is to lead somewhere: those to records come and go. */
export const missableReferences = (object: StoredObject): Reference[] => allReferencesOf(object).filter(({ kind }) => !isRecord(kind));

interface MissingOptions {
  /** The object before the write that sets the status. */
  readonly previous?: StoredObject | undefined;
  readonly isProvided: IsProvided;
}

/** The status of an object with what its references lack, without what they no longer lack. An error that somebody else reported is kept. */
export async function withMissing(
  reader: StoreReader,
  object: StoredObject,
  { previous = object, isProvided }: MissingOptions,
): Promise<Status> {
  if (!requireKind(object.kind).namesMissing) return object.status;
  const references = missableReferences(object);
  const found = references.length > 0 ? await reader.readIndexedFields(references) : [];
  const missing = references.filter(
    (reference, index) => found[index] === undefined && !isBuiltInTool(reference) && !isProvided(reference),
  );
  const { lastError: _former, ...rest } = object.status;
  if (missing.length > 0) return { ...rest, lastError: sentenceOf(missing), observedGeneration: object.generation };
  const isOwn = reportedMissing({ ...previous, status: object.status }) !== undefined;
  return isOwn ? { ...rest, observedGeneration: object.generation } : object.status;
}

/** The sentence of a status about missing references; undefined where it has none. */
export function reportedMissing(object: StoredObject): string | undefined {
  const { lastError } = object.status;
  if (typeof lastError !== 'string' || !requireKind(object.kind).namesMissing) return undefined;
  return missableReferences(object).some((reference) => lastError.startsWith(sentenceOf([reference]))) ? lastError : undefined;
}

function sentenceOf(missing: readonly Reference[]): string {
  const named = missing.slice(0, NAMED_MAX).map((reference) => `${reference.path} names ${describeKey(reference)}, which does not exist`);
  const more = missing.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** Kinds with such statuses by the kinds that they refer to. */
export const REFERRING_KINDS: ReadonlyMap<string, readonly string[]> = new Map(
  kinds.map(({ kind: target }) => [
    target,
    kinds
      .filter((definition) => definition.namesMissing && !isRecord(target) && refFieldsOf(definition).some(({ kind }) => kind === target))
      .map(({ kind }) => kind),
  ]),
);
