// Bundles over the registry: written as the caller reads, imported as the caller writes.
import { OWNER_ANNOTATIONS } from '@svc/shared/generated-objects';
import type { BundleReview, ReviewedObject, ReviewedSecret } from '@svc/shared/api/bundles';
import {
  BUNDLE_ALGORITHM,
  BUNDLE_KIND,
  documentHash,
  readBundle,
  signedText,
  type BundleDocument,
  type BundleManifest,
  type BundleSecret,
  type CheckedBundle,
} from '@svc/shared/bundle/bundle';
import { ServiceError } from '@svc/shared/errors';
import { canonicalJson, isObject } from '@svc/shared/json';
import { kindByName } from '@svc/shared/kinds';
import { parsePath } from '@svc/shared/path-text';
import { API_VERSION, type Resource, type ResourceKey, type NamespacedName } from '@svc/shared/resource';
import { stringify } from 'yaml';
import { timestamp, type Clock } from '../clock.ts';
import type { DecisionLog } from '../decisions/record-decision.ts';
import { requireRole } from '../registry/authorise.ts';
import type { ApplyPrecondition, ApplyResult, Registry, RequestContext } from '../registry/registry.ts';
import { bundleCrypto } from './bundle-crypto.ts';
import type { BundleService, ConfirmedImport, ImportRequest } from './bundle-service.ts';
import { collect } from './collect.ts';

export interface BundleServiceDeps {
  readonly registry: Registry;
  /** The installation's key. */
  readonly signer: Pick<DecisionLog, 'sign' | 'publicKey'>;
  readonly clock: Clock;
  /** Version of this service. */
  readonly version: string;
}

export function createBundleService(deps: BundleServiceDeps): BundleService {
  return {
    write: (context, system) => write(deps, context, system),
    review: (context, request) => review(deps, context, request),
    import: (context, request) => importBundle(deps, context, request),
  };
}

async function write(
  { registry, signer, clock, version }: BundleServiceDeps,
  context: RequestContext,
  { namespace, name }: NamespacedName,
): Promise<string> {
  requireRole(context, 'writer', 'writing a bundle');
  const { objects, secrets, missing } = await collect(registry, context, { kind: 'AgentSystem', namespace, name });
  const documents = objects.map((object) => documentOf(object, namespace));
  const manifest: BundleManifest = {
    apiVersion: API_VERSION,
    kind: BUNDLE_KIND,
    metadata: { name, createdAt: timestamp(clock.now()), createdBy: context.identity.name },
    spec: {
      system: name,
      source: { namespace, version },
      objects: documents.map((document) => ({
        kind: document.kind,
        ...(document.metadata.namespace !== undefined && { namespace: document.metadata.namespace }),
        name: document.metadata.name,
        sha256: documentHash(document, bundleCrypto),
      })),
      secrets,
      missing,
    },
  };
  const { keyId, publicKeyPem, signature } = await signer.sign(signedText(manifest));
  const signed = { ...manifest, signature: { algorithm: BUNDLE_ALGORITHM, keyId, publicKeyPEM: publicKeyPem, value: signature } };
  return [signed, ...documents].map((document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}

/** Annotations of one installation, which mean nothing on another. */
const LOCAL_ANNOTATIONS: ReadonlySet<string> = new Set(['svc.dev/managed-by', ...OWNER_ANNOTATIONS]);

/** Stored objects are JSON, so the document reads back from YAML as what was hashed. */
function documentOf({ kind, metadata, spec }: Resource, home: string): BundleDocument {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !LOCAL_ANNOTATIONS.has(key));
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      ...(namespace !== home && { namespace }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
    spec,
  };
}

/** Throws `invalid` for what cannot be trusted. */
function checked(documents: readonly unknown[]): CheckedBundle {
  const reading = readBundle(documents, bundleCrypto);
  if (!reading.ok) throw new ServiceError('invalid', `This bundle cannot be imported: ${reading.problem}`);
  return reading.value;
}

interface PreparedImport extends CheckedBundle {
  /** Documents with the namespaces and Secret names of this server. */
  readonly next: readonly BundleDocument[];
  readonly results: readonly ApplyResult[];
  /** Reference to what was found: changes when an object to be written changes. */
  readonly review: string;
}

async function prepare({ registry }: BundleServiceDeps, context: RequestContext, request: ImportRequest): Promise<PreparedImport> {
  const { documents, namespace, secrets } = request;
  const { bundle, documents: given } = checked(documents);
  requireKnownSecrets(bundle.spec.secrets, secrets);
  const next = given.map((document) => withSecrets(document, { namespace, secrets }));
  const results = await registry.apply(context, next, { namespace, dryRun: true, fieldValidation: 'Strict', findMissing: true });
  const found = results.map(({ kind, namespace: place, name, found: at }) => ({ kind, namespace: place, name, found: at ?? null }));
  const review = `sha256:${bundleCrypto.hash(canonicalJson({ bundle: bundle.signature.value, namespace, secrets, found }))}`;
  return { bundle, documents: given, next, results, review };
}

function requireKnownSecrets(known: readonly BundleSecret[], mapped: Readonly<Record<string, string>>): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(mapped).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const takes = names.length === 0 ? 'names no Secret' : `names ${names.join(', ')}`;
  throw new ServiceError('invalid', `The bundle names no Secret ${unknown.slice(0, 100)} that could be mapped; it ${takes}`);
}

const nameHere = (secrets: ImportRequest['secrets'], name: string): string | undefined =>
  Object.hasOwn(secrets, name) ? secrets[name] : undefined;

/** The document with the names of its Secrets as they are here. */
function withSecrets(document: BundleDocument, { namespace, secrets }: Pick<ImportRequest, 'namespace' | 'secrets'>): BundleDocument {
  const place = { namespace: document.metadata.namespace ?? namespace, name: document.metadata.name };
  const kind = kindByName(document.kind);
  // A spec of another structure is refused by the apply.
  if (!kind?.spec.safeParse(document.spec).success || Object.keys(secrets).length === 0) return document;
  const spec = structuredClone(document.spec);
  for (const reference of kind.references(kind.normalize(spec, place), place)) {
    const mapped = reference.kind === 'Secret' ? nameHere(secrets, reference.name) : undefined;
    if (mapped !== undefined) replaceAt({ spec }, reference.path, mapped);
  }
  return { ...document, spec };
}

function replaceAt(root: object, path: string, value: string): void {
  const segments = parsePath(path);
  const last = segments.at(-1);
  let at: unknown = root;
  for (const segment of segments.slice(0, -1))
    at = isObject(at) || Array.isArray(at) ? (at as Record<string | number, unknown>)[segment] : undefined;
  if (last !== undefined && (isObject(at) || Array.isArray(at))) (at as Record<string | number, unknown>)[last] = value;
}

async function review(deps: BundleServiceDeps, context: RequestContext, request: ImportRequest): Promise<BundleReview> {
  requireRole(context, 'writer', 'reviewing a bundle');
  const { bundle, next, results, review: reviewed } = await prepare(deps, context, request);
  const { metadata, spec, signature } = bundle;
  return {
    ...metadata,
    source: spec.source,
    signer: { keyId: signature.keyId, standing: (await isOwn(deps, signature.keyId)) ? 'own' : 'unknown' },
    objects: await Promise.all(next.map((document) => reviewedObject(deps, context, { document, namespace: request.namespace, results }))),
    secrets: await Promise.all(spec.secrets.map((secret) => reviewedSecret(deps, context, { secret, request }))),
    missing: results.flatMap(missingSentences),
    review: reviewed,
  };
}

const isOwn = async ({ signer }: BundleServiceDeps, keyId: string): Promise<boolean> => (await signer.publicKey()).key_id === keyId;

function missingSentences({ kind, name, missing = [] }: ApplyResult): string[] {
  return missing
    .filter((reference) => reference.kind !== 'Secret')
    .map((to) => `${kind} ${name} refers to ${to.kind} ${to.namespace}/${to.name}, which does not exist here`);
}

const keyOf = ({ kind, metadata }: BundleDocument, namespace: string): ResourceKey => ({
  kind,
  namespace: metadata.namespace ?? namespace,
  name: metadata.name,
});

/** Results of an apply come in dependency order. */
function resultOf(results: readonly ApplyResult[], key: ResourceKey): ApplyResult | undefined {
  return results.find(({ kind, namespace, name }) => kind === key.kind && namespace === key.namespace && name === key.name);
}

interface ObjectToReview {
  readonly document: BundleDocument;
  readonly namespace: string;
  readonly results: readonly ApplyResult[];
}

async function reviewedObject({ registry }: BundleServiceDeps, context: RequestContext, object: ObjectToReview): Promise<ReviewedObject> {
  const { document, results } = object;
  const key = keyOf(document, object.namespace);
  const result = resultOf(results, key);
  const current = result?.found && (await registry.get(context, key));
  return {
    ...key,
    action: result?.action === 'created' || result?.action === 'configured' ? result.action : 'unchanged',
    ...(current && { current: { ...documentOf(current, object.namespace) } }),
    next: { ...document },
    ...(result?.warnings && { warnings: result.warnings }),
  };
}

interface SecretToReview {
  readonly secret: BundleSecret;
  readonly request: ImportRequest;
}

async function reviewedSecret(
  { registry }: BundleServiceDeps,
  context: RequestContext,
  { secret, request }: SecretToReview,
): Promise<ReviewedSecret> {
  const mappedTo = nameHere(request.secrets, secret.name) ?? secret.name;
  const key = { kind: 'Secret', namespace: secret.namespace ?? request.namespace, name: mappedTo };
  const exists = await registry.get(context, key, { brief: true }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') return false;
      throw error;
    },
  );
  return { ...secret, mappedTo, exists };
}

async function importBundle(deps: BundleServiceDeps, context: RequestContext, request: ConfirmedImport): Promise<readonly ApplyResult[]> {
  requireRole(context, 'writer', 'importing a bundle');
  const { bundle, next, results, review: found } = await prepare(deps, context, request);
  const { keyId } = bundle.signature;
  if (request.signer !== undefined && request.signer !== keyId)
    throw new ServiceError('conflict', `The bundle is signed with key ${keyId}, not with ${request.signer.slice(0, 64)}`);
  if (request.signer === undefined && !(await isOwn(deps, keyId)))
    throw new ServiceError(
      'conflict',
      `The bundle is signed with key ${keyId}, which is not the key of this server; compare it with the one that its sender names, then import it with signer=${keyId}`,
    );
  if (request.review !== undefined && request.review !== found)
    throw new ServiceError('conflict', 'Objects of the bundle, or its settings, have changed since the review; review it again');
  const { namespace } = request;
  const preconditions = next.map(
    (document): ApplyPrecondition => resultOf(results, keyOf(document, namespace))?.found ?? { mustNotExist: true },
  );
  return deps.registry.apply(context, next, { namespace, fieldValidation: 'Strict', preconditions });
}
