// Which object, and which version of it, a write may replace: uid, If-Match, If-None-Match and metadata.resourceVersion in one value. Pure.
import { ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../store/store.ts';

export interface Precondition {
  /** Any of these versions will do; `*` stands for every existing one. Undefined: no version was given. */
  readonly versions: readonly string[] | undefined;
  /** Uid of the object, so that a new object of its name does not match. Undefined: any matches. */
  readonly uid?: string | undefined;
  /** `If-None-Match: *` */
  readonly mustNotExist: boolean;
}

export interface VersionInputs {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly bodyVersion?: string | undefined;
  readonly uid?: string | undefined;
}

/** Reads the headers and the body's version; If-Match wins over the body. Throws `invalid` for an If-None-Match other than `*`. */
export function readPrecondition({ ifMatch, ifNoneMatch, bodyVersion, uid }: VersionInputs): Precondition {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw new ServiceError('invalid', 'If-None-Match accepts only "*", which makes the request create-only');
  }
  const fromHeader = ifMatch
    ?.split(',')
    .map(entityTagValue)
    .filter((tag) => tag !== '');
  const versions = fromHeader?.length ? fromHeader : bodyVersion ? [bodyVersion] : undefined;
  // An empty one must not drop the condition.
  if (fromHeader && !versions) throw new ServiceError('invalid', 'If-Match must name a version, such as "5", or be left out');
  return { versions, uid, mustNotExist: ifNoneMatch !== undefined };
}

/** `5`, `"5"` and `W/"5"` all mean version 5. */
function entityTagValue(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
}

export interface PreconditionUse {
  /** `required` (PUT): a write without a version is refused. */
  readonly version: 'required' | 'optional';
  /** `create` (POST): an absent object is made. Otherwise it is `not_found`. */
  readonly absent: 'create' | 'not_found';
}

/** Throws `conflict` or `not_found` when the object's present state does not satisfy the precondition. */
export function checkPrecondition(
  key: ResourceKey,
  current: StoredObject | undefined,
  rule: { precondition: Precondition; use: PreconditionUse },
): void {
  const { precondition, use } = rule;
  const what = describeKey(key);
  if (!current) {
    if (use.absent === 'not_found') throw notFound(key);
    if (!precondition.versions) return;
    throw new ServiceError(
      'conflict',
      `${what} does not exist, so it cannot be at resourceVersion ${precondition.versions.join(' or ')}; leave the version out to create it`,
    );
  }
  checkUid(key, current.uid, precondition.uid);
  const at = `${what} already exists, at resourceVersion ${current.resourceVersion}`;
  if (precondition.mustNotExist) throw new ServiceError('conflict', `${at}; choose another name, or update that object`);
  if (!precondition.versions) {
    if (use.version === 'optional') return;
    throw new ServiceError(
      'conflict',
      `${what} is at resourceVersion ${current.resourceVersion} and this request names no version; send metadata.resourceVersion or If-Match`,
    );
  }
  if (!precondition.versions.some((version) => version === '*' || version === String(current.resourceVersion)))
    throw staleVersion(key, current, precondition.versions);
}

/** Throws `conflict` when the name stands for another object than the one that was meant. Its detail is at `metadata.uid`, which a stale version's is not. */
export function checkUid(key: ResourceKey, current: string, meant: string | undefined): void {
  if (meant === undefined || meant === current) return;
  throw new ServiceError(
    'conflict',
    `${describeKey(key)} was deleted and recreated meanwhile: the name now belongs to a new object; read it and decide again`,
    { details: [{ path: 'metadata.uid', message: `is ${current} now, not ${meant.slice(0, 64)}` }] },
  );
}

function staleVersion(key: ResourceKey, current: StoredObject, asked: readonly string[]): ServiceError {
  return new ServiceError(
    'conflict',
    `${describeKey(key)} is at resourceVersion ${current.resourceVersion}, not ${asked.join(' or ')}; read it again, redo your change and send the new version`,
  );
}

export function notFound(key: ResourceKey): ServiceError {
  return new ServiceError('not_found', `${describeKey(key)} does not exist`);
}
