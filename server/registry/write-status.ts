// PUT of the status subresource: an administrator replaces the status whole. Source: DECISIONS section 2 "Status".
import { invalidFields } from '@svc/shared/errors';
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { timestamp } from '../clock.ts';
import { readEnvelope } from './envelope.ts';
import { checkPrecondition, readPrecondition } from './precondition.ts';
import type { Precondition } from './precondition.ts';
import { toResource } from './mapping.ts';
import type { NamedWriteRequest } from './registry.ts';
import { updateStatus } from './status.ts';
import type { Status } from './status.ts';
import { racing } from './transact.ts';
import type { WriterOptions } from './write.ts';

export interface StatusDraft {
  readonly key: ResourceKey;
  readonly precondition: Precondition;
  readonly status: Status;
}

/** Checks a `{"metadata":…,"status":…}` body. Throws `invalid` with every problem. */
export function checkStatusDraft(definition: KindDefinition, request: NamedWriteRequest): StatusDraft {
  const { kind, namespace, name, ifMatch, ifNoneMatch } = request;
  const { envelope, errors } = readEnvelope({ kind, namespace, name }, request.body);
  const { status } = envelope.body;
  const all = [...errors, ...statusErrors(definition, status)];
  if (all.length || !isObject(status)) throw invalidFields(describeKey({ kind, namespace, name }), all);
  const precondition = readPrecondition({ ifMatch, ifNoneMatch, bodyVersion: envelope.bodyVersion });
  return { key: { kind, namespace, name }, precondition, status };
}

function statusErrors(definition: KindDefinition, status: unknown): FieldError[] {
  if (!isObject(status)) return [{ path: 'status', message: 'must be an object' }];
  const parsed = definition.status.safeParse(status);
  const shape = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ path: formatPath(issue.path), message: lowerFirst(issue.message) }));
  const statesMatter = definition.phases.length > 1 && typeof status.phase === 'string';
  if (!statesMatter || definition.phases.includes(status.phase as string)) return shape;
  return [...shape, { path: 'status.phase', message: `must be one of ${definition.phases.join(', ')}` }];
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`), 'status');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Replaces the status. A PUT without a version is `conflict`. */
export async function writeStatus(tx: StoreTransaction, draft: StatusDraft, options: WriterOptions): Promise<StoredObject> {
  const { key } = draft;
  const current = await tx.getObject(key);
  checkPrecondition(key, current, { precondition: draft.precondition, use: { version: 'required', absent: 'not_found' } });
  const updated = await racing(updateStatus(tx, { key, clock: options.clock, change: () => draft.status }));
  if (!current || !updated || updated.resourceVersion === current.resourceVersion) return updated ?? current!;
  await options.hooks.get(key.kind)?.onUpdated?.(tx, toResource(updated), toResource(current));
  return updated;
}
