// PUT of the status subresource: an administrator replaces the status whole.
import { invalidFields } from '@svc/shared/errors';
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { checkSpec } from '@svc/shared/kinds/check';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { kindFields } from '@svc/shared/kinds/kind-fields';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../store/store.ts';
import { INDEXED_FIELDS } from '../store/terms.ts';
import { racing } from '../store/write-race.ts';
import { readEnvelope } from './envelope.ts';
import { checkPrecondition, notFound, readPrecondition } from './precondition.ts';
import type { Precondition } from './precondition.ts';
import { toResource, withoutHeavyStatus } from './mapping.ts';
import type { FieldValidation, NamedWriteRequest } from './registry.ts';
import { updateStatus } from './own-writes.ts';
import type { Status } from './own-writes.ts';
import type { WriterOptions, WriteScope } from './write.ts';
import { recordWritten, serveRequest } from './written.ts';

export interface StatusDraft {
  readonly key: ResourceKey;
  readonly precondition: Precondition;
  readonly status: Status;
}

/** Checks a `{"metadata":…,"status":…}` body. Throws `invalid` with every problem. */
export function checkStatusDraft(definition: KindDefinition, request: NamedWriteRequest): StatusDraft {
  const { kind, namespace, name, ifMatch, ifNoneMatch, uid } = request;
  const { envelope, errors } = readEnvelope({ kind, namespace, name }, request.body);
  const checked = checkStatus(definition, envelope.body.status, request.fieldValidation ?? 'Warn');
  const all = [...errors, ...checked.errors];
  if (all.length) throw invalidFields(describeKey({ kind, namespace, name }), all);
  const precondition = readPrecondition({ ifMatch, ifNoneMatch, uid, bodyVersion: envelope.bodyVersion });
  return { key: { kind, namespace, name }, precondition, status: checked.status };
}

/** A status without a phase gets the one of a new object. Unknown fields are treated as those of a spec are: refused under `Strict`, dropped otherwise. */
function checkStatus(definition: KindDefinition, raw: unknown, fieldValidation: FieldValidation): { status: Status; errors: FieldError[] } {
  if (!isObject(raw)) return { status: {}, errors: [{ path: 'status', message: 'must be an object' }] };
  const shape: KindDefinition<Status> = {
    ...definition,
    spec: definition.status,
    normalize: (status) => status as Status,
    validate: () => [],
  };
  const unknownFields = fieldValidation === 'Strict' ? 'reject' : 'drop';
  const status = { ...raw, phase: raw['phase'] ?? definition.initialPhase };
  const checked = checkSpec(shape, status, { context: { namespace: '', name: '' }, unknownFields });
  const errors = checked.errors.map(({ path, message }) => ({ path: path.replace(/^spec/, 'status'), message }));
  const phase = checked.spec.phase;
  const hasStates = definition.phases.length > 1 && typeof phase === 'string';
  if (hasStates && !definition.phases.includes(phase)) {
    errors.push({ path: 'status.phase', message: `must be one of ${definition.phases.join(', ')}` });
  }
  errors.push(...indexErrors(definition, checked.spec));
  // Heavy fields are views of the journal, which each read computes: storing them would change nothing but the version.
  return { status: withoutHeavyStatus(definition, checked.spec), errors };
}

/** In every script below the longest index entry that PostgreSQL stores. */
const INDEX_TEXT_MAX = 500;

/** Lists are filtered by the indexed fields and sorted by times: both are part of an index. */
function indexErrors(definition: KindDefinition, status: Status): FieldError[] {
  const fields = kindFields(definition)[1]?.children.values() ?? [];
  return [...fields].flatMap(({ name, format }) => {
    const path = `status.${name}`;
    const value = status[name];
    const isIndexed = format === 'date-time' || INDEXED_FIELDS.some((indexed) => indexed === path);
    if (!isIndexed || typeof value !== 'string') return [];
    if (value.length > INDEX_TEXT_MAX) return [{ path, message: `must be at most ${INDEX_TEXT_MAX} characters` }];
    return /\p{Cc}/u.test(value) ? [{ path, message: 'must not hold control characters' }] : [];
  });
}

/** Replaces the status. A PUT without a version is `conflict`. */
export async function writeStatus({ tx, context }: WriteScope, draft: StatusDraft, options: WriterOptions): Promise<StoredObject> {
  const { key } = draft;
  const current = await tx.getObjectForUpdate(key);
  checkPrecondition(key, current, { precondition: draft.precondition, use: { version: 'required', absent: 'not_found' } });
  const updated = await racing(updateStatus(tx, { key, clock: options.clock, by: context.identity.name, change: () => draft.status }));
  if (!current || !updated) throw notFound(key);
  if (updated.resourceVersion === current.resourceVersion) return updated;
  serveRequest(tx, context);
  recordWritten(tx, { action: 'status.write', by: context, object: updated });
  const hooks = options.hooks.get(key.kind);
  if (!hooks?.onUpdated) return updated;
  await hooks.onUpdated(tx, toResource(updated), { previous: toResource(current), by: context.identity });
  // A hook may have changed the status again; the caller gets the stored one.
  return (await tx.getObject(key)) ?? updated;
}
