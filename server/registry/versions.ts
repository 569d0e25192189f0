// Versions of specs: a write keeps the spec that it replaces; readers get those and the current one. The store has limits for each object.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { describeKey } from '@svc/shared/resource';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import type { SpecVersion, StoredObject, StoreReader, StoreTransaction, VersionEntry } from '../store/store.ts';
import { describeKind, requireKind } from './mapping.ts';
import { notFound } from './precondition.ts';
import type { Version, VersionsPage, RecordsRequest, VersionSummary } from './queries.ts';

/** Versions of one object together, as JSON: a hundred specs of the largest size would be more than a database should hold of one object. */
export const VERSIONS_MAX_BYTES = 16 * 1024 * 1024;
const LIMIT_MAX = 1_000;

interface Replacement {
  readonly definition: KindDefinition;
  readonly current: StoredObject;
  readonly next: StoredObject;
}

/** Keeps the spec that a write of the object replaces. A write that changes no spec keeps nothing. */
export async function keepReplaced(tx: StoreTransaction, { definition, current, next }: Replacement, versionsMax: number): Promise<void> {
  if (!definition.keepsVersions || next.generation === current.generation || versionsMax === 0) return;
  const version = { ...currentEntry(current), replacedAt: next.updatedAt, spec: current.spec };
  await tx.keepVersion(current.uid, version, { number: versionsMax, bytes: VERSIONS_MAX_BYTES });
}

/** The spec that the object has now. One written before specs had times is at most as old as the last write. */
function currentEntry({ generation, createdAt, updatedAt, specAt, specBy }: StoredObject): Omit<SpecVersion, 'replacedAt' | 'spec'> {
  const writtenAt = specAt ?? (generation === 1 ? createdAt : updatedAt);
  return { generation, writtenAt, ...(specBy !== undefined && { writtenBy: specBy }) };
}

export async function readVersions(store: StoreReader, key: ResourceKey, { after, limit }: RecordsRequest): Promise<VersionsPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalidFields('the request for versions', [{ path: 'limit', message: `must be a whole number from 1 to ${LIMIT_MAX}` }]);
  const before = after === undefined ? undefined : parseAfter(after);
  const object = await findVersioned(store, key);
  const current = before === undefined || before > object.generation ? [summary(currentEntry(object))] : [];
  // One more than requested says whether there is another page.
  const query = { before: Math.min(before ?? Infinity, object.generation), limit: limit - current.length + 1 };
  const found = [...current, ...(await store.listVersions(object.uid, query)).map(summary)];
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last ? { items, continue: String(last.generation) } : { items };
}

export async function readVersion(store: StoreReader, key: ResourceKey, generation: number): Promise<Version> {
  const object = await findVersioned(store, key);
  const redact = (spec: StoredObject['spec']) => requireKind(key.kind).redact(spec) as Resource['spec'];
  if (generation === object.generation) return { ...summary(currentEntry(object)), spec: redact(object.spec) };
  const version = await store.getVersion(object.uid, generation);
  if (version) return { ...summary(version), spec: redact(version.spec) };
  throw new ServiceError('not_found', `${describeKey(key)} has no version ${generation}; list its versions to see those that are kept`);
}

async function findVersioned(store: StoreReader, key: ResourceKey): Promise<StoredObject> {
  if (!requireKind(key.kind).keepsVersions)
    throw new ServiceError(
      'invalid',
      `no versions are kept of ${describeKind(key.kind)}; docs/api-guide.md lists the kinds that have them`,
    );
  const object = await store.getObject(key);
  if (!object) throw notFound(key);
  return object;
}

function summary({
  generation,
  writtenAt,
  writtenBy,
  replacedAt,
}: Omit<VersionEntry, 'replacedAt'> & Partial<VersionEntry>): VersionSummary {
  return {
    generation,
    createdAt: writtenAt,
    ...(writtenBy !== undefined && { createdBy: writtenBy }),
    ...(replacedAt !== undefined && { replacedAt }),
  };
}

function parseAfter(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid', `"${text.slice(0, 100)}" is not a valid cursor: after takes the "continue" value of the previous page`);
}
