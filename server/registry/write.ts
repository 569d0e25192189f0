// One write inside a transaction: preconditions → plan → admission → store → hooks. POST, PUT, PATCH and apply all end here.
import { isUnavailable } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { describeKey, type ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { openSecretSpec, sealSecretSpec } from '../secrets/secret-data.ts';
import { lockSealingKey } from '../secrets/store-key.ts';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { racing } from '../store/write-race.ts';
import { admitCrdWrite, admitReferences } from './admission.ts';
import type { CrdConflictPolicy, WrittenOver } from './admission.ts';
import { requireSpecRole } from './authorise.ts';
import type { DesiredContent, Draft, PatchBase } from './draft.ts';
import type { HookTable } from './hook-sets.ts';
import { requireKind, toResource } from './mapping.ts';
import { withMissing, type IsProvided } from './missing-references.ts';
import { planWrite } from './plan-write.ts';
import type { WritePlan } from './plan-write.ts';
import { checkPrecondition, notFound, readPrecondition } from './precondition.ts';
import type { JudgeReferences, JudgeRemovals, NamedReference, RepeatedObject, RequestContext, WriteResult } from './registry.ts';
import { keepReplaced } from './versions.ts';
import { recordObjectWritten, recordWritten, serveRequest } from './written.ts';

export interface WriterOptions {
  readonly clock: Clock;
  readonly hooks: HookTable;
  readonly secretBox: SecretBox;
  readonly crdConflictPolicy: CrdConflictPolicy;
  readonly newUid: () => string;
  /** Versions of specs that stay of each object; 0: none. */
  readonly versionsMax: number;
  /** Absent: every writer may refer to every namespace. */
  readonly judgeReferences?: JudgeReferences | undefined;
  /** Absent: every writer may delete what its applies prune. */
  readonly judgeRemovals?: JudgeRemovals | undefined;
  /** Absent: every reference leads to an object or nowhere. */
  readonly isProvided?: IsProvided | undefined;
}

export interface RemoveDraft {
  readonly key: ResourceKey;
  readonly resourceVersion?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly uid?: string | undefined;
}

/** The caller and the transaction a write runs in. */
export interface WriteScope {
  readonly tx: StoreTransaction;
  readonly context: RequestContext;
  /** Objects that the transaction writes, as `describeKey` names them: references to those still to come lead somewhere. */
  readonly coming?: ReadonlySet<string>;
  /** Stands for one apply: what is judged in one round of its transaction stays so in the next. */
  readonly operation?: object;
}

interface PlannedWrite {
  readonly draft: Draft;
  readonly current: StoredObject | undefined;
  readonly desired: DesiredContent;
  /** The key that seals a Secret. */
  readonly sealWith: string | undefined;
}

export class Writer {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async write(scope: WriteScope, draft: Draft): Promise<WriteResult> {
    const { tx, context } = scope;
    const current = await tx.getObjectForUpdate(draft.key);
    checkPrecondition(draft.key, current, draft);
    const crdManaged = admitCrdWrite(this.#options.crdConflictPolicy, context, current);
    const desired = draft.desire(current && this.#patchBase(draft.definition, current));
    if (desired.spec) requireSpecRole(context, draft.definition, desired.spec);
    this.judgeReferences(scope, () => [{ ...draft, spec: desired.spec }]);
    const sealWith = draft.definition.writeOnly ? await lockSealingKey(tx, this.#options.secretBox) : undefined;
    const plan = this.#plan({ draft, current, desired, sealWith }, context);
    const stored = plan.action === 'unchanged' ? plan.object : await this.#store(scope, plan, { definition: draft.definition, current });
    if (plan.action !== 'unchanged') record({ tx, context }, plan, draft.repeats);
    const found = current && { uid: current.uid, resourceVersion: String(current.resourceVersion) };
    const resource = toResource(stored);
    const advice = desired.spec ? await this.#advice(tx, draft.definition, stored) : [];
    return { action: plan.action, resource, warnings: [...desired.warnings, ...advice], crdManaged, ...(found && { found }) };
  }

  /** Throws unless the caller may delete all of these. */
  judgeRemovals({ context, operation }: WriteScope, keys: readonly ResourceKey[]): void {
    if (keys.length > 0) this.#options.judgeRemovals?.(context.identity, keys, operation);
  }

  /** Throws unless the caller may refer to everything in other namespaces that the specs name. `written` is called only where somebody judges. */
  judgeReferences(
    { context, operation }: WriteScope,
    written: () => readonly (Pick<Draft, 'definition' | 'key'> & Pick<DesiredContent, 'spec'>)[],
  ): void {
    const judge = this.#options.judgeReferences;
    if (!judge) return;
    const references = written().flatMap(({ definition, key, spec }) => (spec ? outwardReferences(definition, key, spec) : []));
    if (references.length > 0) judge(context.identity, references, operation);
  }

  /** Warnings about an accepted object that does not work as written. Advice of the kind itself replaces that of the server. */
  async #advice(tx: StoreTransaction, definition: KindDefinition, stored: StoredObject): Promise<readonly string[]> {
    const own = definition.advise(stored.spec).map(({ path, message }) => `${path} ${message}`);
    return own.length > 0 ? own : ((await this.#options.hooks.get(stored.kind)?.warn?.(tx, toResource(stored))) ?? []);
  }

  /** Deletes and returns the last state. */
  async remove(
    { tx, context }: WriteScope,
    { key, resourceVersion, ifMatch, uid }: RemoveDraft,
  ): Promise<{ stored: StoredObject; crdManaged: boolean }> {
    const current = await tx.getObjectForUpdate(key);
    if (!current) throw notFound(key);
    const precondition = readPrecondition({ ifMatch: resourceVersion ?? ifMatch, uid });
    checkPrecondition(key, current, { precondition, use: { version: 'optional', absent: 'not_found' } });
    const crdManaged = admitCrdWrite(this.#options.crdConflictPolicy, context, current);
    const deletion = { expectedVersion: current.resourceVersion, by: context.identity.name };
    if (!(await racing(tx.deleteObject(key, this.#now(), deletion)))) throw notFound(key);
    if (requireKind(key.kind).keepsVersions) await tx.deleteVersions(current.uid);
    serveRequest(tx, context);
    recordObjectWritten(tx, { action: 'resource.delete', by: context, object: current });
    await this.#options.hooks.get(key.kind)?.onDeleted?.(tx, toResource(current), context.identity);
    return { stored: current, crdManaged };
  }

  #patchBase(definition: KindDefinition, current: StoredObject): PatchBase {
    return { labels: current.labels, annotations: current.annotations, readSpec: () => this.#readSpec(definition, current) };
  }

  #plan({ draft, current, desired, sealWith }: PlannedWrite, { identity }: RequestContext): WritePlan {
    const changed = desired.spec !== undefined && !(current && this.#sameSpec(draft, current, desired.spec));
    return planWrite({
      key: draft.key,
      current,
      labels: desired.labels,
      annotations: desired.annotations,
      newSpec: changed ? this.#sealSpec(draft, desired.spec, sealWith) : undefined,
      initialStatus: (createdAt) => ({
        phase: draft.definition.initialPhase,
        ...draft.definition.initialStatus?.(desired.spec ?? {}, createdAt),
      }),
      writtenStatus: (spec) => this.#options.hooks.get(draft.key.kind)?.writtenStatus?.(spec, current && toResource(current)),
      now: this.#now(),
      newUid: this.#options.newUid,
      by: identity.name,
      ...(draft.alsoBy && { alsoBy: draft.alsoBy }),
    });
  }

  async #store({ tx, context, coming }: WriteScope, { object: planned }: WritePlan, before: WrittenOver): Promise<StoredObject> {
    const { current } = before;
    await admitReferences(tx, planned, before);
    const hooks = this.#options.hooks.get(planned.kind);
    const previous = current && toResource(current);
    const found = await hooks?.admit?.(tx, toResource(planned), previous);
    const admitted = found ? { ...planned, status: { ...planned.status, ...found } } : planned;
    const isProvided: IsProvided = (reference) => coming?.has(describeKey(reference)) || this.#options.isProvided?.(reference) || false;
    const object = { ...admitted, status: await withMissing(tx, admitted, { previous: current, isProvided }) };
    const resource = toResource(object);
    await racing(current ? tx.updateObject(object) : tx.insertObject(object));
    if (current) await keepReplaced(tx, { definition: before.definition, current, next: object }, this.#options.versionsMax);
    if (!hooks) return object;
    await (previous ? hooks.onUpdated?.(tx, resource, { previous, by: context.identity }) : hooks.onCreated?.(tx, resource));
    // A hook may have written the object's status; the caller gets what is stored now.
    return (await tx.getObject(object)) ?? object;
  }

  #sealSpec({ definition, key }: Draft, ...[spec, keyId]: [StoredObject['spec'], string | undefined]): StoredObject['spec'] {
    return definition.writeOnly ? sealSecretSpec(this.#options.secretBox, key, spec, keyId) : spec;
  }

  #readSpec({ writeOnly }: KindDefinition, object: StoredObject): StoredObject['spec'] {
    return writeOnly ? openSecretSpec(this.#options.secretBox, object, object.spec) : object.spec;
  }

  /** A Secret that does not open (its key was replaced) counts as different, so that writing it again repairs it. */
  #sameSpec({ definition }: Draft, current: StoredObject, spec: StoredObject['spec']): boolean {
    try {
      return jsonEquals(this.#readSpec(definition, current), spec);
    } catch (error) {
      if (isUnavailable(error)) return false;
      throw error;
    }
  }

  #now(): string {
    return timestamp(this.#options.clock.now());
  }
}

/** References of a spec to objects of other namespaces. */
export function outwardReferences(definition: KindDefinition, from: ResourceKey, spec: StoredObject['spec']): NamedReference[] {
  return [...definition.references(spec, from), ...definition.changeReferences(spec, from)].flatMap((to) =>
    to.namespace === from.namespace ? [] : [{ from, to }],
  );
}

/** A repetition is a record of its own, about the object that is repeated. */
function record({ tx, context: by }: WriteScope, { action, object }: WritePlan, repeats: RepeatedObject | undefined): void {
  const write = action === 'created' ? 'resource.create' : 'resource.update';
  recordObjectWritten(tx, { action: write, by, object });
  if (repeats) recordWritten(tx, { action: 'task.retry', by, object: repeats, details: { created: object.name } });
}
