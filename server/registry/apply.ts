// POST /v1/apply: parsed documents → checked, ordered drafts → writes and prunes of one transaction.
import { APPLY_DOCUMENTS_MAX } from '@svc/shared/api/batch';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { kindByName, kinds } from '@svc/shared/kinds';
import { isBuiltInTool } from '@svc/shared/kinds/tool/built-in';
import { unknownKindMessage } from '@svc/shared/kinds/unknown-kind';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import { checkWholeDraft } from './draft.ts';
import type { Draft, DraftCheck, SpecPolicy } from './draft.ts';
import type { StoredObject } from '../store/store.ts';
import { WriteRace } from '../store/write-race.ts';
import { pruneTargets } from './prune.ts';
import { requireKind } from './mapping.ts';
import { readRelations } from './referrers.ts';
import type { ApplyOptions, ApplyPrecondition, ApplyRemoval, ApplyResult, WriteResult } from './registry.ts';
import type { Writer, WriteScope } from './write.ts';

export interface ApplyDraft {
  /** Position in the request, which error paths name. */
  readonly index: number;
  readonly draft: Draft;
}

/** Checks every document and puts them in dependency order. Throws `invalid` with every problem of all of them, paths as `documents[2].spec.agents[0]`. Pure. */
export function checkDocuments(documents: readonly unknown[], options: { namespace: string; policy: SpecPolicy }): ApplyDraft[] {
  if (documents.length > APPLY_DOCUMENTS_MAX) {
    throw new ServiceError(
      'too_large',
      `an apply takes at most ${APPLY_DOCUMENTS_MAX} documents and this one has ${documents.length}; split it`,
    );
  }
  const errors: FieldError[] = [];
  const drafts: ApplyDraft[] = [];
  const firstOf = new Map<string, number>();
  documents.forEach((document, index) => {
    const checked = checkDocument(document, options);
    for (const error of checked.errors) errors.push(inDocument(index, error));
    if (!checked.draft || checked.errors.length) return;
    const id = describeKey(checked.draft.key);
    const first = firstOf.get(id);
    if (first !== undefined)
      errors.push(inDocument(index, { path: 'metadata.name', message: `names ${id}, which documents[${first}] already defines` }));
    else firstOf.set(id, index);
    drafts.push({ index, draft: checked.draft });
  });
  if (errors.length) throw invalidFields('the request', errors);
  return drafts.sort((a, b) => byKind(a, b) || a.index - b.index);
}

/** Drafts of one kind in the order of their keys, so that applies of the same new objects wait for each other in one direction only. Runs keep theirs: it is that of the queue. */
function inWriteOrder(drafts: readonly ApplyDraft[]): ApplyDraft[] {
  return [...drafts].sort((a, b) => byKind(a, b) || (a.draft.definition.isRecord ? a.index - b.index : byKey(a, b)));
}

const byKind = (a: ApplyDraft, b: ApplyDraft): number => a.draft.definition.applyOrder - b.draft.definition.applyOrder;
const byKey = (a: ApplyDraft, b: ApplyDraft): number => (describeKey(a.draft.key) < describeKey(b.draft.key) ? -1 : 1);

function checkDocument(
  document: unknown,
  options: { namespace: string; policy: SpecPolicy },
): Partial<DraftCheck> & { errors: readonly FieldError[] } {
  if (!isObject(document)) return { errors: [{ path: '', message: 'must be an object' }] };
  const definition = typeof document.kind === 'string' ? kindByName(document.kind) : undefined;
  if (!definition) return { errors: [{ path: 'kind', message: unknownKindMessage(document.kind, kinds) }] };
  const own = isObject(document.metadata) ? document.metadata.namespace : undefined;
  const namespace = typeof own === 'string' && own !== '' ? own : options.namespace;
  return checkWholeDraft({ definition, namespace, body: document, versions: {}, policy: options.policy });
}

function inDocument(index: number, { path, message }: FieldError): FieldError {
  return { path: path ? `documents[${index}].${path}` : `documents[${index}]`, message };
}

/** Holds every document against what it was meant for before the first is written, so that one refusal names all that changed. */
async function checkPreconditions(
  { tx }: WriteScope,
  drafts: readonly ApplyDraft[],
  preconditions: NonNullable<ApplyOptions['preconditions']>,
): Promise<void> {
  const changed: FieldError[] = [];
  for (const { index, draft } of drafts) {
    const wanted = preconditions[index];
    if (!wanted) continue;
    const current = await tx.getObjectForUpdate(draft.key);
    const message = unmet(draft.key, current, wanted);
    if (message !== undefined) changed.push(inDocument(index, { path: '', message }));
  }
  if (changed.length === 0) return;
  const which = changed.length === 1 ? 'One object is' : `${changed.length} objects are`;
  throw new ServiceError('conflict', `${which} no longer as the documents expect; review them and apply again`, { details: changed });
}

/** Change of the object since the dry run; undefined when there was none. */
function unmet(key: ResourceKey, current: StoredObject | undefined, wanted: ApplyPrecondition): string | undefined {
  const what = describeKey(key);
  if ('mustNotExist' in wanted) return current && `${what} was made meanwhile, and is at resourceVersion ${current.resourceVersion}`;
  if (!current) return `${what} was deleted meanwhile`;
  if (current.uid !== wanted.uid) return `${what} was deleted and recreated meanwhile: the name now belongs to a new object`;
  if (String(current.resourceVersion) === wanted.resourceVersion) return undefined;
  return `${what} is at resourceVersion ${current.resourceVersion} now, not ${wanted.resourceVersion}`;
}

/** Locks what is written in the order of the writes, whatever that of the documents: two applies then wait for each other, and neither in vain. */
async function lockObjects({ tx }: WriteScope, drafts: readonly ApplyDraft[]): Promise<void> {
  const inOrder = [...drafts].sort((a, b) => byKind(a, b) || byKey(a, b));
  await Promise.all(inOrder.map(({ draft }) => tx.getObjectForUpdate(draft.key)));
}

/** Writes the drafts and prunes what they no longer name. The first failure ends it, naming its document. */
export async function applyDrafts(
  scope: WriteScope,
  writer: Writer,
  { drafts, options }: { drafts: readonly ApplyDraft[]; options: ApplyOptions },
): Promise<ApplyResult[]> {
  judgeTogether(scope, writer, drafts);
  await lockObjects(scope, drafts);
  if (options.preconditions) await checkPreconditions(scope, drafts, options.preconditions);
  const written = new Map<ApplyDraft, ApplyResult>();
  const together = { ...scope, coming: new Set(drafts.map(({ draft }) => describeKey(draft.key))) };
  for (const each of inWriteOrder(drafts)) {
    const { index, draft } = each;
    written.set(each, toResult(draft.key, await writeDocument(index, () => writer.write(together, draft))));
  }
  const results = drafts.flatMap((draft) => written.get(draft) ?? []);
  // Once all are written: they may refer to one another.
  if (options.findMissing) for (const [at, result] of results.entries()) results[at] = await withMissing(scope, result);
  // Dependents first: the deletion of an object may take along what a controller made of it.
  const removals = [...(options.removals ?? [])].sort((a, b) => requireKind(b.kind).applyOrder - requireKind(a.kind).applyOrder);
  for (const removal of removals) results.push(await removeObject(scope, writer, removal));
  if (!options.prune) return results;
  const targets = await pruneTargets(scope.tx, {
    labels: options.prune,
    namespaces: [options.namespace, ...drafts.map(({ draft }) => draft.key.namespace)],
    keep: drafts.map(({ draft }) => draft.key),
  });
  writer.judgeRemovals(scope, targets);
  for (const key of targets) {
    const { stored, crdManaged } = await writer.remove(scope, { key });
    results.push({ ...key, action: 'pruned', resourceVersion: String(stored.resourceVersion), ...(crdManaged && { crdManaged }) });
  }
  return results;
}

/** Asks the authorizer about all documents in one round, since each round repeats the transaction. The write of a document throws its refusal. */
function judgeTogether(scope: WriteScope, writer: Writer, drafts: readonly ApplyDraft[]): void {
  try {
    writer.judgeReferences(scope, () => drafts.map(({ draft }) => ({ ...draft, spec: draft.desire(undefined).spec })));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

async function removeObject(scope: WriteScope, writer: Writer, { uid, resourceVersion, ...key }: ApplyRemoval): Promise<ApplyResult> {
  const { stored, crdManaged } = await writer.remove(scope, { key, uid, resourceVersion });
  return { ...key, action: 'pruned', resourceVersion: String(stored.resourceVersion), ...(crdManaged && { crdManaged }) };
}

async function withMissing({ tx }: WriteScope, result: ApplyResult): Promise<ApplyResult> {
  const { outgoing } = await readRelations(tx, result);
  const missing = outgoing.flatMap(({ exists, ...reference }) => (exists || isBuiltInTool(reference) ? [] : [reference]));
  return missing.length > 0 ? { ...result, missing } : result;
}

async function writeDocument(index: number, write: () => Promise<WriteResult>): Promise<WriteResult> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof WriteRace) throw error;
    const details = error.details?.map((detail) => inDocument(index, detail)) ?? [inDocument(index, { path: '', message: error.message })];
    throw new ServiceError(error.code, `documents[${index}]: ${error.message}`, { details, cause: error });
  }
}

function toResult(key: ResourceKey, { action, resource, warnings, crdManaged, found }: WriteResult): ApplyResult {
  return {
    ...key,
    action,
    resourceVersion: resource.metadata.resourceVersion,
    ...(found && { found }),
    ...(warnings.length > 0 && { warnings }),
    ...(crdManaged && { crdManaged }),
  };
}
