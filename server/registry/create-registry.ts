// The registry over a store: who may do what, then checked drafts, then one transaction. The rules themselves live in the files beside it.
import { invalidFields } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { Store } from '../store/store.ts';
import { applyDrafts, checkDocuments } from './apply.ts';
import { requireRole } from './authorise.ts';
import { createQueries } from './create-queries.ts';
import { checkPatchDraft, checkWholeDraft } from './draft.ts';
import type { Draft, DraftCheck, DraftRequest, SpecPolicy } from './draft.ts';
import { createHookTable, type HookRegistrations } from './hook-sets.ts';
import { describeKind, requireKind, toResource } from './mapping.ts';
import { readNamespaces, readObject, readPage } from './reads.ts';
import type { FieldValidation, NamedWriteRequest, Registry, RequestContext, WriteRequest, WriteResult } from './registry.ts';
import { transact } from './transact.ts';
import { checkStatusDraft, writeStatus } from './write-status.ts';
import { Writer } from './write.ts';
import type { WriterOptions } from './write.ts';

export interface RegistryOptions extends Omit<WriterOptions, 'hooks'> {
  /** In the order in which they run. */
  readonly hooks: HookRegistrations;
  readonly store: Store;
  /** The server option that enables kubernetes isolation. */
  readonly kubernetesIsolation: boolean;
}

export function createRegistry({ hooks, ...rest }: RegistryOptions): Registry {
  const options = { ...rest, hooks: createHookTable(hooks) };
  const { store } = options;
  const writer = new Writer(options);
  const policy = (fieldValidation: FieldValidation = 'Warn'): SpecPolicy => ({
    fieldValidation,
    kubernetesIsolation: options.kubernetesIsolation,
  });

  function draftRequest({ kind, namespace, body, ifMatch, ifNoneMatch, fieldValidation, repeats }: WriteRequest): DraftRequest {
    const definition = requireKind(kind);
    return { definition, namespace, body, versions: { ifMatch, ifNoneMatch }, policy: policy(fieldValidation), repeats };
  }

  function namedRequest(write: NamedWriteRequest): DraftRequest & { name: string } {
    const request = draftRequest(write);
    return { ...request, name: write.name, versions: { ...request.versions, uid: write.uid } };
  }

  function writeDraft(context: RequestContext, draft: Draft, dryRun = false): Promise<WriteResult> {
    return transact(store, dryRun, (tx) => writer.write({ tx, context }, draft));
  }

  return {
    ...createQueries(store),
    async get(context, { kind, namespace, name }, how = {}) {
      requireRole(context, 'reader', `reading ${describeKind(kind)}`);
      return readObject(options, { kind, namespace, name }, how);
    },
    async list(context, request) {
      requireRole(context, 'reader', `listing ${describeKind(request.kind)}`);
      return readPage(options, request);
    },
    async listNamespaces(context) {
      requireRole(context, 'reader', 'listing namespaces');
      return readNamespaces(options);
    },
    async post(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, accept(checkWholeDraft(draftRequest(write))), write.dryRun);
    },
    async put(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, accept(checkWholeDraft(namedRequest(write))), write.dryRun);
    },
    async patch(context, write) {
      requireRole(context, 'writer', `writing ${describeKind(write.kind)}`);
      return writeDraft(context, accept(checkPatchDraft(namedRequest(write))), write.dryRun);
    },
    async putStatus(context, write: NamedWriteRequest) {
      requireRole(context, 'admin', `writing the status of ${describeKind(write.kind)}`);
      const draft = checkStatusDraft(requireKind(write.kind), write);
      return toResource(await transact(store, write.dryRun ?? false, (tx) => writeStatus({ tx, context }, draft, options)));
    },
    async remove(context, { kind, namespace, name, dryRun, resourceVersion, uid }) {
      requireRole(context, 'writer', `deleting ${describeKind(kind)}`);
      requireKind(kind);
      const draft = { key: { kind, namespace, name }, resourceVersion, uid };
      const { stored, crdManaged } = await transact(store, dryRun ?? false, (tx) => writer.remove({ tx, context }, draft));
      return { resource: toResource(stored), crdManaged };
    },
    async apply(context, documents, applyOptions) {
      requireRole(context, 'writer', 'applying documents');
      const drafts = checkDocuments(documents, { namespace: applyOptions.namespace, policy: policy(applyOptions.fieldValidation) });
      return transact(store, applyOptions.dryRun ?? false, (tx) => applyDrafts({ tx, context }, writer, { drafts, options: applyOptions }));
    },
  };
}

function accept({ draft, errors }: DraftCheck): Draft {
  if (errors.length) throw invalidFields(draft.key.name ? describeKey(draft.key) : `the ${draft.key.kind}`, errors);
  return draft;
}
