// Turns SealedSecrets into Secrets of the same name, and removes a generated Secret whose SealedSecret is gone. Run by the leader.
import { SEALED_SECRET_OWNER } from '@svc/shared/generated-objects';
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { unseal, type SealingPrivateKey, type UnsealProblem } from '@svc/shared/sealing/sealing';
import { createKindFollower } from '../controllers/runtime/kind-follower.ts';
import { createReconciler, type Reconciler, type ReconcilerOptions } from '../controllers/runtime/reconciler.ts';
import { updateStatus } from '../registry/own-writes.ts';
import { creatorsOf, partIdentity, partName } from '../registry/principal.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { Claim, StoredObject, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { SealingKeys } from './sealing-key.ts';

export interface UnsealingOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  readonly registry: Pick<Registry, 'within'>;
  /** The leader's: nothing is written once it has been taken over. */
  readonly claim: Claim;
  readonly keys: SealingKeys;
}

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'sealed-secrets' };
const SEALED = 'SealedSecret';
const SECRET = 'Secret';

const ownerOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;
const isOwned = (secret: StoredObject): boolean => secret.annotations[SEALED_SECRET_OWNER] === ownerOf(secret);

/** Both kinds are followed: a Secret that somebody changes or deletes is written again. */
export function createUnsealing(options: UnsealingOptions): Reconciler {
  const reconcile = async (key: NamespacedName): Promise<undefined> => {
    const [sealed, secret] = await Promise.all([
      options.store.getObject({ kind: SEALED, ...key }),
      options.store.getObject({ kind: SECRET, ...key }),
    ]);
    if (!sealed) return secret && isOwned(secret) ? removeSecret(options, secret) : undefined;
    if (secret && isUpToDate(sealed, secret)) return undefined;
    return unsealInto(options, sealed);
  };
  const reconciler = createReconciler({ ...options, name: 'sealed-secrets', kind: SEALED, reconcile });
  const secrets = createKindFollower({ ...options, kind: SECRET, onChange: (key) => reconciler.add(key) });
  return {
    ...reconciler,
    start() {
      reconciler.start();
      secrets.start();
    },
    async stop() {
      await secrets.stop();
      await reconciler.stop();
    },
    async runOnce() {
      await secrets.runOnce();
      await reconciler.runOnce();
    },
  };
}

/** Without decrypting: nobody but this controller wrote the Secret since the SealedSecret was reconciled. */
function isUpToDate(sealed: StoredObject, secret: StoredObject): boolean {
  const { phase, observedGeneration } = statusOf(SEALED, sealed);
  if (phase !== 'Ready' || observedGeneration !== sealed.generation) return false;
  const { labels, annotations } = metadataOf(sealed);
  return secret.specBy === CONTEXT.identity.name && jsonEquals(secret.labels, labels) && jsonEquals(secret.annotations, annotations);
}

function metadataOf(sealed: StoredObject) {
  const { template } = specOf(SEALED, sealed);
  return { labels: template?.labels ?? {}, annotations: { ...template?.annotations, [SEALED_SECRET_OWNER]: ownerOf(sealed) } };
}

async function removeSecret(
  { store, registry, claim }: UnsealingOptions,
  { kind, namespace, name, uid }: StoredObject,
): Promise<undefined> {
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    const sealed = await tx.getObjectForUpdate({ kind: SEALED, namespace, name });
    const secret = await tx.getObjectForUpdate({ kind, namespace, name });
    if (!sealed && secret?.uid === uid && isOwned(secret)) await registry.within(tx).remove(CONTEXT, { kind, namespace, name, uid });
  });
  return undefined;
}

async function unsealInto(options: UnsealingOptions, sealed: StoredObject): Promise<undefined> {
  const data = await openEntries(options.keys, sealed);
  await transactAgain(options.store, async (tx) => {
    await tx.assertClaim(options.claim);
    const current = await tx.getObjectForUpdate(sealed);
    // A change during the decryption is reconciled next.
    if (current?.uid !== sealed.uid || current.generation !== sealed.generation) return;
    const problem = data instanceof Problem ? data.sentence : await writeSecret(options, tx, { sealed, data });
    const { clock } = options;
    await updateStatus(tx, {
      key: sealed,
      clock,
      by: partName('controllers'),
      change: ({ lastError: _cleared, ...status }) => ({
        ...status,
        phase: problem === undefined ? 'Ready' : 'Error',
        ...(problem !== undefined && { lastError: problem }),
        observedGeneration: sealed.generation,
      }),
    });
  });
  return undefined;
}

/** The sentence for `lastError`. */
class Problem {
  readonly sentence: string;
  constructor(sentence: string) {
    this.sentence = sentence;
  }
}

/** Base64 values by key. */
async function openEntries(keys: SealingKeys, sealed: StoredObject): Promise<Record<string, string> | Problem> {
  const { namespace, name } = sealed;
  const entries = Object.entries(specOf(SEALED, sealed).encryptedData ?? {});
  if (entries.length === 0) return new Problem('spec.encryptedData has no entry: seal at least one value');
  const privateKey = await keys.privateKey().catch(sentenceOf);
  if (privateKey instanceof Problem) return privateKey;
  const data: Record<string, string> = {};
  for (const [key, entry] of entries) {
    const value = await unseal(privateKey, { namespace, name, key }, entry);
    if (typeof value === 'string') return new Problem(problemSentence(value, { key, sealedWith: entry.keyId, sealed, privateKey }));
    if (value.length === 0) return new Problem(`entry "${key}" is empty: a Secret holds no empty values`);
    data[key] = Buffer.from(value).toString('base64');
  }
  return data;
}

function sentenceOf(error: unknown): Problem {
  if (error instanceof ServiceError) return new Problem(error.message);
  throw error;
}

interface RefusedSecret {
  readonly key: string;
  readonly sealedWith: string;
  readonly sealed: NamespacedName;
  readonly privateKey: SealingPrivateKey;
}

function problemSentence(problem: UnsealProblem, { key, sealedWith, sealed, privateKey }: RefusedSecret): string {
  if (problem === 'other_key')
    return `entry "${key}" was sealed with key ${sealedWith}, and the sealing key of this server is ${privateKey.keyId}; seal it again`;
  const part = problem === 'wrapped_key' ? 'wrappedKey' : 'ciphertext';
  return `the ${part} of entry "${key}" does not decrypt: it was damaged, or sealed for another entry, name or namespace than ${ownerOf(sealed)}; seal it again`;
}

/** Returns the sentence for `lastError` when the Secret cannot be written. */
async function writeSecret(
  { registry }: UnsealingOptions,
  tx: StoreTransaction,
  { sealed, data }: { readonly sealed: StoredObject; readonly data: Record<string, string> },
): Promise<string | undefined> {
  const { namespace, name } = sealed;
  const key = { kind: SECRET, namespace, name };
  const secret = await tx.getObjectForUpdate(key);
  if (secret && !isOwned(secret))
    return `Secret ${ownerOf(secret)} exists and is not generated from this SealedSecret: delete it, or give the SealedSecret another name`;
  const body = { kind: SECRET, metadata: { namespace, name, ...metadataOf(sealed) }, spec: { data } };
  try {
    const request = { kind: SECRET, namespace, body, alsoBy: creatorsOf(sealed) };
    if (secret) await registry.within(tx).put(CONTEXT, { ...request, name, ifMatch: String(secret.resourceVersion) });
    else await registry.within(tx).post(CONTEXT, request);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid') return `the Secret was refused: ${error.message}`;
    throw error;
  }
}
