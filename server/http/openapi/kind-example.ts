// A minimal object of a kind that the server accepts: the required fields, and the fields that its rules then require. Pure.
import { checkSpec } from '@svc/shared/kinds/check';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { kindByName } from '@svc/shared/kinds';
import { API_VERSION } from '@svc/shared/resource';
import { kindFields, type Field } from '@svc/shared/kinds/kind-fields';

/** Rules may ask for one field after another; no kind needs more rounds than this. */
const ROUNDS_MAX = 5;

type Spec = Record<string, unknown>;

const SAMPLES: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: true,
};

const FORMAT_SAMPLES: Readonly<Record<string, string>> = {
  base64: 'aGVsbG8=',
  cron: '0 9 * * 1-5',
  duration: '30s',
  'time-zone': 'Europe/Berlin',
};

/** Fields whose format says nothing but whose rules do. */
const NAME_SAMPLES: Readonly<Record<string, string>> = { endpoint: 'https://example.com/search' };

/** `my-agent-system`. */
const sampleName = (kind: KindDefinition): string => `my-${kind.plural.replace(/ies$/, 'y').replace(/s$/, '')}`;

function textSample(field: Field): string {
  const referred = field.format?.startsWith('ref:') ? kindByName(field.format.slice('ref:'.length)) : undefined;
  if (referred) return sampleName(referred);
  return (
    field.values[0] ??
    FORMAT_SAMPLES[field.format ?? ''] ??
    NAME_SAMPLES[field.name] ??
    `my-${field.name.replace(/_|(?=[A-Z])/g, '-').toLowerCase()}`
  );
}

function sample(field: Field): unknown {
  if (field.type === 'list') return [field.typeText === '[]string' ? textSample(field) : requiredOf(field)];
  if (field.type === 'object') return requiredOf(field);
  if (field.type === 'map') return { 'my-key': field.typeText === 'map[string]string' ? textSample(field) : requiredOf(field) };
  return SAMPLES[field.type] ?? textSample(field);
}

function requiredOf(parent: Field): Spec {
  const needed = [...parent.children.values()].filter((field) => field.required);
  return Object.fromEntries(needed.map((field) => [field.name, sample(field)]));
}

/** Sets the field at a path such as `spec.memory.ref`, making the objects above it. */
function fill(spec: Spec, parent: Field, path: readonly string[]): void {
  const [name, ...rest] = path;
  const field = parent.children.get(name ?? '');
  if (!field) return;
  if (rest.length === 0) spec[field.name] ??= sample(field);
  else fill((spec[field.name] ??= {}) as Spec, field, rest);
}

const errorsOf = (kind: KindDefinition, spec: Spec) =>
  checkSpec(kind, spec, { context: { namespace: 'default', name: 'example' }, unknownFields: 'reject' }).errors;

/** A kind that requires nothing shows the first field that can stand alone: an empty spec would say nothing about it. */
function firstAccepted(kind: KindDefinition, root: Field): Spec {
  const candidates = [...root.children.values()].map((field) => ({ [field.name]: sample(field) }));
  return candidates.find((spec) => errorsOf(kind, spec).length === 0) ?? {};
}

function exampleSpec(kind: KindDefinition, root: Field): Spec {
  const spec = requiredOf(root);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const errors = errorsOf(kind, spec);
    if (errors.length === 0) return Object.keys(spec).length > 0 ? spec : firstAccepted(kind, root);
    for (const error of errors) fill(spec, root, error.path.split('.').slice(1));
  }
  throw new Error(`no example of ${kind.kind} passes its rules: ${JSON.stringify(spec)}`);
}

/** The object as clients write it. Throws when the kind's rules refuse every example it can think of, so that no page shows a wrong one. */
export function kindExample(kind: KindDefinition) {
  const [spec] = kindFields(kind);
  return { apiVersion: API_VERSION, kind: kind.kind, metadata: { name: sampleName(kind) }, spec: exampleSpec(kind, spec) };
}
