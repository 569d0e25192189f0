// Writes of single objects from requests: authorised, checked as drafts, then written in a transaction that the caller provides.
import { invalidFields } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { StoreTransaction } from '../store/store.ts';
import { requireRole } from './authorise.ts';
import { checkPatchDraft, checkWholeDraft } from './draft.ts';
import type { DraftCheck, DraftRequest, SpecPolicy } from './draft.ts';
import { describeKind, requireKind, toResource } from './mapping.ts';
import type { FieldValidation, NamedWriteRequest, RegistryWrites, RequestContext, WriteRequest, WriteResult } from './registry.ts';
import type { TransactOptions } from './transact.ts';
import type { Writer } from './write.ts';

/** Runs a write in its transaction. */
export type RunInTransaction = <T>(how: TransactOptions, work: (tx: StoreTransaction) => Promise<T>) => Promise<T>;

export function specPolicy(kubernetesIsolation: boolean, fieldValidation: FieldValidation = 'Warn'): SpecPolicy {
  return { fieldValidation, kubernetesIsolation };
}

export interface WritesOptions {
  readonly writer: Writer;
  readonly kubernetesIsolation: boolean;
}

export function createWrites({ writer, kubernetesIsolation }: WritesOptions, transaction: RunInTransaction): RegistryWrites {
  const draftRequest = (write: WriteRequest): DraftRequest => {
    const { kind, namespace, body, ifMatch, ifNoneMatch, repeats, alsoBy } = write;
    const policy = specPolicy(kubernetesIsolation, write.fieldValidation);
    return { definition: requireKind(kind), namespace, body, versions: { ifMatch, ifNoneMatch }, policy, repeats, alsoBy };
  };
  const namedRequest = (write: NamedWriteRequest): DraftRequest & { name: string } => {
    const request = draftRequest(write);
    return { ...request, name: write.name, versions: { ...request.versions, uid: write.uid } };
  };
  const writeDraft = (context: RequestContext, { draft, errors }: DraftCheck, how: TransactOptions): Promise<WriteResult> => {
    if (errors.length) throw invalidFields(draft.key.name ? describeKey(draft.key) : `the ${draft.key.kind}`, errors);
    return transaction(how, (tx) => writer.write({ tx, context }, draft));
  };
  return {
    async post(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, checkWholeDraft(draftRequest(write)), { dryRun: write.dryRun, creates: true });
    },
    async put(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, checkWholeDraft(namedRequest(write)), write);
    },
    async patch(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, checkPatchDraft(namedRequest(write)), write);
    },
    async remove(context, { kind, namespace, name, dryRun, ...versions }) {
      requireRole(context, 'writer', `deleting ${describeKind(kind)}`);
      requireKind(kind);
      const draft = { key: { kind, namespace, name }, ...versions };
      const { stored, crdManaged } = await transaction({ dryRun }, (tx) => writer.remove({ tx, context }, draft));
      return { resource: toResource(stored), crdManaged };
    },
  };
}
