// Checks of manifests that need no server: the envelope and every rule of each document's kind.
import { kindByName, kinds } from '@svc/shared/kinds';
import { checkSpec } from '@svc/shared/kinds/check';
import type { FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { unknownKindMessage } from '@svc/shared/kinds/unknown-kind';
import { API_VERSION, nameProblem, namespaceProblem, unknownEnvelopeFields, type ResourceKey } from '@svc/shared/resource';
import type { ManifestDocument, ManifestProblem } from './manifest-files.ts';

/** Kind, namespace and name of a document as far as it says them. */
export function identityOf(value: unknown, namespace: string): ResourceKey {
  const document = isObject(value) ? value : {};
  const metadata = isObject(document['metadata']) ? document['metadata'] : {};
  const text = (field: unknown) => (typeof field === 'string' ? field : '');
  return { kind: text(document['kind']), namespace: text(metadata['namespace']) || namespace, name: text(metadata['name']) };
}

function textMapErrors(value: unknown, path: string): FieldError[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [{ path, message: 'must be a map of strings' }];
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'string' ? [] : [{ path: `${path}.${key}`, message: 'must be a string (quote it)' }],
  );
}

function metadataErrors(metadata: unknown): FieldError[] {
  if (!isObject(metadata)) return [{ path: 'metadata', message: 'is required and must be a map' }];
  const errors: FieldError[] = [];
  const { name, namespace } = metadata;
  if (name === undefined || name === '') errors.push({ path: 'metadata.name', message: 'is required' });
  else {
    const problem = typeof name === 'string' ? nameProblem(name) : 'must be a string (quote it)';
    if (problem) errors.push({ path: 'metadata.name', message: problem });
  }
  if (namespace !== undefined) {
    const problem = typeof namespace === 'string' ? namespaceProblem(namespace) : 'must be a string (quote it)';
    if (problem) errors.push({ path: 'metadata.namespace', message: problem });
  }
  return [
    ...errors,
    ...textMapErrors(metadata['labels'], 'metadata.labels'),
    ...textMapErrors(metadata['annotations'], 'metadata.annotations'),
  ];
}

function kindErrors(value: unknown): FieldError[] {
  if (typeof value !== 'string' || value === '') return [{ path: 'kind', message: 'is required' }];
  return kindByName(value) ? [] : [{ path: 'kind', message: unknownKindMessage(value, kinds) }];
}

/** Every problem of one document, with paths into it. */
function documentErrors(value: unknown, namespace: string): FieldError[] {
  if (!isObject(value)) return [{ path: '', message: 'must be a resource: a map with apiVersion, kind, metadata and spec' }];
  const unknown = unknownEnvelopeFields(value, isObject(value['metadata']) ? value['metadata'] : {});
  const errors: FieldError[] = unknown.map(({ path, hint }) => ({ path, message: `is not a known field${hint}` }));
  // As on the server, it may be left out.
  if ((value['apiVersion'] ?? API_VERSION) !== API_VERSION) errors.push({ path: 'apiVersion', message: `must be ${API_VERSION}` });
  errors.push(...kindErrors(value['kind']), ...metadataErrors(value['metadata']));
  const identity = identityOf(value, namespace);
  const kind = kindByName(identity.kind);
  if (kind)
    errors.push(
      ...checkSpec(kind, value['spec'] ?? {}, { context: { namespace: identity.namespace, name: identity.name }, unknownFields: 'reject' })
        .errors,
    );
  return errors;
}

function duplicates(documents: readonly ManifestDocument[], namespace: string): ManifestProblem[] {
  const seen = new Map<string, ManifestDocument>();
  return documents.flatMap((document) => {
    const identity = identityOf(document.value, namespace);
    const key = `${identity.kind} ${identity.namespace}/${identity.name}`;
    const first = seen.get(key);
    seen.set(key, first ?? document);
    if (!first || !identity.kind || !identity.name) return [];
    const where = `${first.file}:${first.locate('').line}`;
    return [
      {
        file: document.file,
        path: 'metadata.name',
        message: `names ${key} a second time (first in ${where})`,
        ...document.locate('metadata.name'),
      },
    ];
  });
}

/** Every problem of a set of documents, in file order. */
export function manifestProblems(documents: readonly ManifestDocument[], namespace: string): ManifestProblem[] {
  const own = documents.flatMap((document) =>
    documentErrors(document.value, namespace).map((error) => ({
      file: document.file,
      path: error.path,
      message: error.message,
      ...document.locate(error.path),
    })),
  );
  return [...own, ...duplicates(documents, namespace)];
}

/** Warnings about valid documents, by the rules of their kinds alone. */
export function manifestAdvice(documents: readonly ManifestDocument[], namespace: string): string[] {
  const identities = documents.map(({ value }) => ({ ...identityOf(value, namespace), value }));
  return identities.flatMap(({ value, ...identity }) => {
    const definition = kindByName(identity.kind);
    if (!definition || !isObject(value)) return [];
    const checked = checkSpec(definition, value['spec'] ?? {}, { context: identity, unknownFields: 'drop' });
    const title = `${identity.kind} ${identity.namespace}/${identity.name}`;
    return definition.advise(checked.spec).map(({ path, message }) => `${title}: ${path} ${message}`);
  });
}
