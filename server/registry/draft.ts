// From a request to a draft: the checked intent of one write, before any stored object is examined. Pure.
// A POST or PUT is judged whole here; a merge patch can only be judged once the object it changes is known.
import { invalidFields } from '@svc/shared/errors';
import type { FieldError } from '@svc/shared/errors';
import { isObject, mergePatch } from '@svc/shared/json';
import { checkSpec, UNKNOWN_SHOWN_MAX } from '@svc/shared/kinds/check';
import { patchBase } from '@svc/shared/kinds/patch-base';
import { asRead } from '@svc/shared/kinds/read';
import type { KindDefinition, ServerPolicy } from '@svc/shared/kinds/define';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey, UnknownField } from '@svc/shared/resource';
import { readEnvelope } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { readPrecondition } from './precondition.ts';
import type { Precondition, PreconditionUse, VersionInputs } from './precondition.ts';
import type { FieldValidation, RepeatedObject } from './registry.ts';
import { readStringMap } from './string-map.ts';
import type { StringMap } from './string-map.ts';

type Spec = Readonly<Record<string, unknown>>;

/** Desired content of the object. */
export interface DesiredContent {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** Normalised and readable (Secrets unsealed); undefined keeps the stored spec as it is. */
  readonly spec: Spec | undefined;
  readonly warnings: readonly string[];
}

/** The parts of the stored object a patch builds on. */
export interface PatchBase {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The readable spec. Throws when a Secret cannot be opened. */
  readonly readSpec: () => Spec;
}

export interface Draft {
  readonly definition: KindDefinition;
  readonly key: ResourceKey;
  readonly precondition: Precondition;
  readonly use: PreconditionUse;
  /** As in WriteRequest. */
  readonly repeats?: RepeatedObject | undefined;
  /** As in WriteRequest. */
  readonly alsoBy?: readonly string[] | undefined;
  /** Throws `invalid` when a patch leads to an invalid object. `base` is undefined when there is none to build on. */
  readonly desire: (base: PatchBase | undefined) => DesiredContent;
}

/** Options for judging a spec. */
export interface SpecPolicy extends ServerPolicy {
  readonly fieldValidation: FieldValidation;
}

export interface DraftRequest {
  readonly definition: KindDefinition;
  readonly namespace: string;
  readonly name?: string;
  readonly body: unknown;
  readonly versions: Omit<VersionInputs, 'bodyVersion'>;
  readonly policy: SpecPolicy;
  readonly repeats?: RepeatedObject | undefined;
  readonly alsoBy?: readonly string[] | undefined;
}

export interface DraftCheck {
  readonly draft: Draft;
  readonly errors: readonly FieldError[];
}

const CREATE_OR_APPLY: PreconditionUse = { version: 'optional', absent: 'create' };
const REPLACE: PreconditionUse = { version: 'required', absent: 'not_found' };
const PATCH: PreconditionUse = { version: 'optional', absent: 'not_found' };

/** A whole resource, as POST, PUT and apply send it. Every problem of the body is in `errors`. */
export function checkWholeDraft(request: DraftRequest): DraftCheck {
  const { definition, policy } = request;
  const { envelope, errors, unknown } = readEnvelope(target(request), request.body);
  const spec = judgeSpec(definition, envelope.body.spec ?? {}, { envelope, policy });
  const unknownFields = judgeUnknown(unknown, policy.fieldValidation);
  const desired: DesiredContent = {
    labels: envelope.labels,
    annotations: envelope.annotations,
    spec: spec.spec,
    warnings: [...unknownFields.warnings, ...spec.warnings],
  };
  const draft: Draft = {
    definition,
    key: keyOf(envelope),
    precondition: readPrecondition({ ...request.versions, bodyVersion: envelope.bodyVersion }),
    use: request.name === undefined ? CREATE_OR_APPLY : REPLACE,
    repeats: request.repeats,
    alsoBy: request.alsoBy,
    desire: () => desired,
  };
  return { draft, errors: [...errors, ...unknownFields.errors, ...spec.errors] };
}

/** A merge patch (RFC 7386) on labels, annotations and spec. */
export function checkPatchDraft(request: DraftRequest & { name: string }): DraftCheck {
  const { envelope, errors, unknown } = readEnvelope(target(request), request.body, 'patch');
  const unknownFields = judgeUnknown(unknown, request.policy.fieldValidation);
  const draft: Draft = {
    definition: request.definition,
    key: keyOf(envelope),
    precondition: readPrecondition({ ...request.versions, bodyVersion: envelope.bodyVersion }),
    use: PATCH,
    desire: (base) => applyPatch({ envelope, request, warnings: unknownFields.warnings }, base),
  };
  return { draft, errors: [...errors, ...unknownFields.errors] };
}

interface Patch {
  readonly envelope: Envelope;
  readonly request: DraftRequest;
  readonly warnings: readonly string[];
}

function applyPatch({ envelope, request, warnings }: Patch, base: PatchBase | undefined): DesiredContent {
  const labels = patchMap(base?.labels ?? {}, envelope.metadata, 'labels');
  const annotations = patchMap(base?.annotations ?? {}, envelope.metadata, 'annotations');
  const changesSpec = 'spec' in envelope.body && base !== undefined;
  const patchSpec = (stored: Spec) => mergePatch(patchBase(request.definition, stored, keyOf(envelope)), envelope.body.spec) ?? {};
  const merged = changesSpec ? patchSpec(base.readSpec()) : undefined;
  const judged = changesSpec ? judgeSpec(request.definition, merged, { envelope, policy: request.policy }) : undefined;
  const errors = [...labels.errors, ...annotations.errors, ...(judged?.errors ?? [])];
  if (errors.length) throw invalidFields(describeKey(keyOf(envelope)), errors);
  return { labels: labels.map, annotations: annotations.map, spec: judged?.spec, warnings: [...warnings, ...(judged?.warnings ?? [])] };
}

function patchMap(current: StringMap, metadata: Envelope['metadata'], field: 'labels' | 'annotations'): ReturnType<typeof readStringMap> {
  return field in metadata ? readStringMap(mergePatch(current, metadata[field]), field) : { map: current, errors: [] };
}

interface JudgedSpec {
  readonly spec: Spec;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

function judgeSpec(definition: KindDefinition, raw: unknown, { envelope, policy }: { envelope: Envelope; policy: SpecPolicy }): JudgedSpec {
  if (!isObject(raw)) return { spec: {}, errors: [{ path: 'spec', message: 'must be an object' }], warnings: [] };
  const unknownFields = policy.fieldValidation === 'Strict' ? 'reject' : 'drop';
  const checked = checkSpec(definition, raw, { context: { namespace: envelope.namespace, name: envelope.name }, unknownFields });
  const spec = checked.errors.length ? (checked.spec as Spec) : asRead('spec', checked.spec as Spec);
  const errors = checked.errors.length ? checked.errors : definition.serverRules(spec, policy);
  const warnings = policy.fieldValidation === 'Warn' ? ignoredFields(checked.unknown) : [];
  return { spec, errors, warnings };
}

function judgeUnknown(fields: readonly UnknownField[], validation: FieldValidation): { errors: FieldError[]; warnings: string[] } {
  if (validation !== 'Strict') return { errors: [], warnings: validation === 'Warn' ? ignoredFields(fields) : [] };
  const errors = fields.slice(0, UNKNOWN_SHOWN_MAX).map(({ path, hint }) => ({ path, message: `is not a known field${hint}` }));
  const more = fields.length - UNKNOWN_SHOWN_MAX;
  return { errors: more > 0 ? [...errors, { path: '', message: `has ${more} more fields that are not known` }] : errors, warnings: [] };
}

function ignoredFields(fields: readonly UnknownField[]): string[] {
  return fields.map(({ path, hint }) => `unknown field "${path}" was ignored${hint}`);
}

function target({ definition, namespace, name }: DraftRequest): { kind: string; namespace: string; name?: string } {
  return { kind: definition.kind, namespace, ...(name !== undefined && { name }) };
}

function keyOf({ kind, namespace, name }: Envelope): ResourceKey {
  return { kind, namespace, name };
}
