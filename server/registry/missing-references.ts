// `status.lastError` of objects that name others which do not exist. The transactions that write or delete either end keep it right.
import { jsonEquals } from '@svc/shared/json';
import { kinds } from '@svc/shared/kinds';
import type { Reference } from '@svc/shared/kinds/define';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import { PAGE_MAX_BYTES } from '../store/page-bytes.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { requireKind } from './mapping.ts';
import { replaceStatus, type Status } from './own-writes.ts';
import { allReferencesOf, refFieldsOf } from './reference-index.ts';

/** True for a reference that leads to something else than an object, such as a variable in place of a Secret. */
export type IsProvided = (reference: Reference) => boolean;

/** References that a status names; it counts the others. */
const NAMED_MAX = 5;
const PAGE = 100;
/**
 * Objects and references of theirs that one creation or deletion looks at, because its transaction holds up other writers. Objects that are left
 * follow at their next write.
 */
const LOOKS_MAX = 20_000;
/** Reading a page that its size has ended costs as much as so many looks. */
const LOOKS_OF_LARGE_PAGE = 2_000;

const isRecord = (kind: string): boolean => requireKind(kind).isRecord;
const lookedAt = (object: StoredObject): Reference[] => allReferencesOf(object).filter(({ kind }) => !isRecord(kind));

/** The status of an object about to be stored: with what its references lack, without what they no longer lack. */
export async function withMissing(tx: StoreReader, object: StoredObject, isProvided: IsProvided): Promise<Status> {
  if (!requireKind(object.kind).namesMissing) return object.status;
  const references = lookedAt(object);
  const found = references.length > 0 ? await tx.readIndexedFields(references) : [];
  const missing = references.filter((reference, index) => found[index] === undefined && !isProvided(reference));
  const { lastError, ...rest } = object.status;
  if (missing.length > 0) return { ...rest, lastError: sentenceOf(missing), observedGeneration: object.generation };
  return lastError === undefined ? object.status : { ...rest, observedGeneration: object.generation };
}

function sentenceOf(missing: readonly Reference[]): string {
  const named = missing.slice(0, NAMED_MAX).map((reference) => `${reference.path} names ${describeKey(reference)}, which does not exist`);
  const more = missing.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** Kinds with such statuses by the kinds that they refer to. */
const REFERRERS = new Map<string, readonly string[]>(
  kinds.map(({ kind: target }) => [
    target,
    kinds
      .filter((definition) => definition.namesMissing && !isRecord(target) && refFieldsOf(definition).some(({ kind }) => kind === target))
      .map(({ kind }) => kind),
  ]),
);

export interface ReferrersOptions {
  readonly clock: Clock;
  readonly isProvided: IsProvided;
  /** Principal of the writes, by name. */
  readonly by: string;
}

/** Brings the statuses of the objects that name this one up to date, once it was created or deleted. */
export async function updateReferrers(tx: StoreTransaction, key: ResourceKey, options: ReferrersOptions): Promise<void> {
  let looks = 0;
  for (const kind of REFERRERS.get(key.kind) ?? [])
    for await (const { object, isLargePage } of referrersOf(tx, { kind, key })) {
      looks += 1 + lookedAt(object).length + (isLargePage ? LOOKS_OF_LARGE_PAGE : 0);
      if (looks > LOOKS_MAX) return;
      await updateReferrer(tx, object, options);
    }
}

/** Objects of a kind that name this one. The last one of a page that its size has ended says so. */
async function* referrersOf(tx: StoreReader, { kind, key }: { readonly kind: string; readonly key: ResourceKey }) {
  for (let after: StoredObject | undefined; ;) {
    const { objects, full } = await tx.listPage({ kind, references: key, limit: PAGE, ...(after && { after }) }, PAGE_MAX_BYTES);
    after = full || objects.length === PAGE ? objects.at(-1) : undefined;
    for (const object of objects) yield { object, isLargePage: full && object === after };
    if (!after) return;
  }
}

async function updateReferrer(tx: StoreTransaction, key: ResourceKey, { clock, isProvided, by }: ReferrersOptions): Promise<void> {
  const object = await tx.getObjectForUpdate(key);
  if (!object) return;
  const status = await withMissing(tx, object, isProvided);
  if (!jsonEquals(status, object.status)) await replaceStatus(tx, object, { status, now: clock.now(), by });
}
