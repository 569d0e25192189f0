// The registry over a store: permissions first, then checked drafts, then one transaction. The rules themselves live in the files beside it.
import { ServiceError } from '@svc/shared/errors';
import type { Store, StoreTransaction } from '../store/store.ts';
import { applyDrafts, checkDocuments } from './apply.ts';
import { requireRole } from './authorise.ts';
import { createQueries } from './create-queries.ts';
import { createWrites, specPolicy } from './create-writes.ts';
import { createHookTable, type HookRegistrations } from './hook-sets.ts';
import { describeKind, requireKind, toResource } from './mapping.ts';
import { createIndexCheck } from './reference-indexer.ts';
import { readNamespaces, readObject, readPage } from './reads.ts';
import type { NamedWriteRequest, Registry } from './registry.ts';
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
  const isIndexed = createIndexCheck(rest.store);
  const options = { ...rest, hooks: createHookTable(hooks), isIndexed };
  const { store, kubernetesIsolation } = options;
  const writer = new Writer(options);
  return {
    ...createQueries(store, isIndexed),
    ...createWrites({ writer, kubernetesIsolation }, (how, work) => transact(store, how, work)),
    within: (tx) =>
      createWrites({ writer, kubernetesIsolation }, ({ dryRun }, work) => {
        if (dryRun === true) throw new ServiceError('invalid', 'a write within a transaction cannot be a dry run');
        return work(tx);
      }),
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
    async putStatus(context, write: NamedWriteRequest) {
      requireRole(context, 'admin', `writing the status of ${describeKind(write.kind)}`);
      const draft = checkStatusDraft(requireKind(write.kind), write);
      return toResource(await transact(store, write, (tx) => writeStatus({ tx, context }, draft, options)));
    },
    async apply(context, documents, applyOptions) {
      requireRole(context, 'writer', 'applying documents');
      const drafts = checkDocuments(documents, {
        namespace: applyOptions.namespace,
        policy: specPolicy(kubernetesIsolation, applyOptions.fieldValidation),
      });
      const operation = {};
      const work = (tx: StoreTransaction) => applyDrafts({ tx, context, operation }, writer, { drafts, options: applyOptions });
      return transact(store, applyOptions, work);
    },
  };
}
