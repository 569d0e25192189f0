// Traits that the explorer reads from any object, whatever its kind. Pure.
import { valueAtPath } from '@svc/shared/json';
import { SUSPEND_REASON, type Resource } from '@svc/shared/resource';
import type { ObjectRef } from '../../navigation/addresses.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import type { KindSummary } from '../../kinds/kind-summary.ts';

/** Key of an object within its kind: `namespace/name`. */
export function keyText({ metadata }: Resource): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function refOf({ kind, metadata }: Resource): ObjectRef {
  return { kind, namespace: metadata.namespace, name: metadata.name };
}

/** The object is applied through a custom resource of a cluster, which overwrites changes made here. */
export function isCrdManaged({ metadata }: Resource): boolean {
  return metadata.annotations['svc.dev/managed-by'] === 'crd';
}

/** Kinds that can be suspended have a column for it. */
export function canSuspend(kind: Pick<KindSummary, 'columns'>): boolean {
  return kind.columns.some(({ path }) => path === 'spec.suspend');
}

export function isSuspended(resource: Resource): boolean {
  return valueAtPath(resource, 'spec.suspend') === true;
}

/** Reason that a person gave for the suspension; empty without one. */
export function suspendReasonOf(resource: Resource): string {
  return isSuspended(resource) ? (resource.metadata.annotations[SUSPEND_REASON] ?? '') : '';
}

/** Objects that only the service creates: nobody creates or imports them by hand. */
export function isCreatedByService(kind: string): boolean {
  return kindNamed(kind)?.serviceManaged ?? false;
}

/** Kinds whose specs people change. */
export function isEditable(kind: string): boolean {
  return !isCreatedByService(kind) && kindNamed(kind)?.fixedSpec !== true;
}

/** Kinds with write-only values. */
export function isSecretKind(kind: string): boolean {
  return kindNamed(kind)?.area === 'secrets';
}

/** Action of an object's page that suspends or resumes it. */
export const SUSPEND_SHORTCUT = 'object.suspend';
