// Bundles: an agent system with all that it needs, signed by the server that wrote it. Shapes, signed text, and checks. Pure: hashes and signatures
// are checked by functions that the caller brings.
import { isObject, canonicalJson } from '../json.ts';
import { API_VERSION } from '../resource.ts';

export const BUNDLE_KIND = 'Bundle';
export const BUNDLE_ALGORITHM = 'Ed25519';
/** Ending of a bundle's file. */
export const BUNDLE_ENDING = '.svcbundle';
/** Objects of one bundle. */
export const BUNDLE_OBJECTS_MAX = 500;

/** An object of the bundle. Without a namespace it goes where the bundle is imported. */
export interface BundleObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** SHA-256 of the document as canonical JSON, in hex. */
  readonly sha256: string;
}

/** A Secret that objects of the bundle name. Its values are never part of a bundle. */
export interface BundleSecret {
  readonly namespace?: string;
  readonly name: string;
  /** Keys that it had where the bundle was written; empty where it was not stored. */
  readonly keys: readonly string[];
  /** `ModelEndpoint fast`, sorted. */
  readonly usedBy: readonly string[];
}

export interface BundleManifest {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof BUNDLE_KIND;
  readonly metadata: { readonly name: string; readonly createdAt: string; readonly createdBy: string };
  readonly spec: {
    /** The agent system. */
    readonly system: string;
    readonly source: { readonly namespace: string; readonly version: string };
    readonly objects: readonly BundleObject[];
    readonly secrets: readonly BundleSecret[];
    /** Objects that the system names and that did not exist, `Tool search`. */
    readonly missing: readonly string[];
  };
}

export interface BundleSignature {
  readonly algorithm: typeof BUNDLE_ALGORITHM;
  /** `sha256:` and 16 hex digits: names the key. */
  readonly keyId: string;
  readonly publicKeyPEM: string;
  /** Base64. */
  readonly value: string;
}

export interface SignedBundle extends BundleManifest {
  readonly signature: BundleSignature;
}

/** A document of the bundle as it is written: no uid, no version, no status. */
export interface BundleDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface BundleCrypto {
  /** SHA-256 of the text as UTF-8, in hex. */
  readonly hash: (text: string) => string;
  /** Id of a public key in PEM; undefined for a key of another algorithm. */
  readonly keyIdOf: (publicKeyPEM: string) => string | undefined;
  readonly verify: (signed: { readonly text: string; readonly signature: string; readonly publicKeyPEM: string }) => boolean;
}

/** Text that the signature covers. Its first line keeps it apart from anything else that the same key signs. */
export function signedText({ apiVersion, kind, metadata, spec }: BundleManifest): string {
  return `svc.dev/bundle/v1\n${canonicalJson({ apiVersion, kind, metadata, spec })}`;
}

export const documentHash = (document: BundleDocument, { hash }: Pick<BundleCrypto, 'hash'>): string => hash(canonicalJson(document));

export interface CheckedBundle {
  readonly bundle: SignedBundle;
  readonly documents: readonly BundleDocument[];
}

/** Reading of a bundle's documents: the bundle, or the reason why it cannot be trusted, as a sentence. */
export type BundleReading = { readonly ok: true; readonly value: CheckedBundle } | { readonly ok: false; readonly problem: string };

const refused = (problem: string): BundleReading => ({ ok: false, problem });

/** Checks form, signature and every hash. Whether the signer is known is for the caller to say. */
export function readBundle(documents: readonly unknown[], crypto: BundleCrypto): BundleReading {
  const [first, ...rest] = documents;
  const shape = shapeProblem(first);
  if (shape !== undefined) return refused(shape);
  const bundle = first as SignedBundle;
  const { signature, spec } = bundle;
  const keyId = crypto.keyIdOf(signature.publicKeyPEM);
  if (keyId === undefined) return refused(`the public key of the signature is no ${BUNDLE_ALGORITHM} key`);
  if (keyId !== signature.keyId) return refused(`the signature names key ${signature.keyId} and carries key ${keyId}`);
  const text = signedText(bundle);
  if (!crypto.verify({ text, signature: signature.value, publicKeyPEM: signature.publicKeyPEM }))
    return refused('the signature does not fit: the bundle was changed after it was signed');
  if (rest.length !== spec.objects.length)
    return refused(`the bundle lists ${spec.objects.length} objects and holds ${rest.length}: it is not complete, or was added to`);
  for (const [index, document] of rest.entries()) {
    const listed = spec.objects[index];
    const problem = listed && documentProblem(document, listed, crypto);
    if (problem !== undefined) return refused(problem);
  }
  return { ok: true, value: { bundle, documents: rest as BundleDocument[] } };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);

function shapeProblem(manifest: unknown): string | undefined {
  if (!isObject(manifest) || manifest['kind'] !== BUNDLE_KIND || manifest['apiVersion'] !== API_VERSION)
    return `the first document is no ${BUNDLE_KIND} of ${API_VERSION}`;
  const { metadata, spec, signature } = manifest;
  if (!isObject(signature)) return 'the bundle is not signed';
  if (signature['algorithm'] !== BUNDLE_ALGORITHM) return `the signature is not of algorithm ${BUNDLE_ALGORITHM}`;
  if (![signature['keyId'], signature['publicKeyPEM'], signature['value']].every(isText)) return 'the signature is not complete';
  if (!isObject(metadata) || ![metadata['name'], metadata['createdAt'], metadata['createdBy']].every(isText))
    return 'metadata of the bundle is not complete';
  if (!isObject(spec) || !isText(spec['system']) || !isTexts(spec['missing'])) return 'spec of the bundle is not complete';
  const { source, objects, secrets } = spec;
  if (!isObject(source) || !isText(source['namespace']) || !isText(source['version'])) return 'spec.source of the bundle is not complete';
  if (!Array.isArray(objects) || !objects.every(isListedObject)) return 'spec.objects of the bundle is not a list of objects';
  if (objects.length > BUNDLE_OBJECTS_MAX) return `the bundle holds more than ${BUNDLE_OBJECTS_MAX} objects`;
  return Array.isArray(secrets) && secrets.every(isListedSecret) ? undefined : 'spec.secrets of the bundle is not a list of Secrets';
}

function isListedObject(value: unknown): boolean {
  return isObject(value) && [value['kind'], value['name'], value['sha256']].every(isText) && isOptionalText(value['namespace']);
}

function isListedSecret(value: unknown): boolean {
  return (
    isObject(value) && isText(value['name']) && isOptionalText(value['namespace']) && isTexts(value['keys']) && isTexts(value['usedBy'])
  );
}

function documentProblem(document: unknown, listed: BundleObject, crypto: Pick<BundleCrypto, 'hash'>): string | undefined {
  const name = `${listed.kind} ${listed.name}`;
  const metadata = isObject(document) ? document['metadata'] : undefined;
  if (!isObject(document) || !isObject(metadata) || document['kind'] !== listed.kind || metadata['name'] !== listed.name)
    return `the bundle holds another document where ${name} is listed`;
  if (metadata['namespace'] !== listed.namespace) return `${name} has another namespace than the one that was signed`;
  return documentHash(document as unknown as BundleDocument, crypto) === listed.sha256
    ? undefined
    : `${name} was changed after the bundle was signed`;
}
