// Phase of each Memory: whether its provider is known and its backend answers. Looks again by itself. Run by the leader.
import { randomUUID } from 'node:crypto';
import { statusOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { createReconciler, type Reconciler, type ReconcileOutcome, type ReconcilerOptions } from '../controllers/runtime/reconciler.ts';
import { CallError } from '../engine/ports.ts';
import { updateStatus } from '../registry/own-writes.ts';
import { partName } from '../registry/principal.ts';
import type { Claim, StoredObject } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { BackendFacts } from './backend.ts';
import type { Memories } from './create-memories.ts';
import { embeddingModel } from './embedder.ts';
import type { MemoryEntries } from './entries.ts';
import { erasedPlaces, erasuresOf, forgetErasure, type PendingErasure } from './erasures.ts';
import type { OpenMemory } from './open-memories.ts';
import { timeLimit } from '../clock.ts';

export interface MemoryControllerOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  /** The leader's: nothing is written once it has been taken over. */
  readonly claim: Claim;
  readonly memory: Pick<Memories, 'memories' | 'entries' | 'onFailedCall'>;
}

const KIND = 'Memory';
const PING_MAX_MS = 10_000;
/** Time to the next check of a backend that did not answer. */
const FAILED_AGAIN_MS = 5_000;
/** Time to the next check after a failure that a person has to repair, such as a wrong password. */
const REFUSED_AGAIN_MS = 30_000;
const EMBEDDING_AGAIN_MS = 1_000;
const ERASE_MAX_MS = 20_000;
const ERASE_AGAIN_MAX_MS = 300_000;
/** Time after which entries of a deleted Memory are left where they are. */
const ERASE_TRIES_MS = 24 * 60 * 60 * 1000;

export function createMemoryController(options: MemoryControllerOptions): Reconciler {
  /** Memories whose embedding model fits the vectors that are stored, with the versions of both. */
  const fitting = new Map<string, string>();
  /** Memories that answered the last check: a failed call brings the next one forward. */
  const answering = new WeakSet<OpenMemory>();
  let stopListening: (() => void) | undefined;
  const reconciler = createReconciler({
    ...options,
    name: 'memories',
    kind: KIND,
    // Deletions whose entries are removed; only their record is left.
    others: () => erasedPlaces(options.store),
    async reconcile(key, signal) {
      const erased = await eraseDeleted(options, { key, fitting });
      const object = await options.store.getObject({ kind: KIND, ...key });
      return sooner(erased, object && (await reconcileObject(options, { object, fitting, answering, signal })));
    },
  });
  return {
    ...reconciler,
    start() {
      reconciler.start();
      stopListening ??= options.memory.onFailedCall((memory, error) => {
        if (isMismatch(error)) fitting.delete(memory.uid);
        if (answering.delete(memory)) reconciler.add(memory);
      });
    },
    async stop() {
      stopListening?.();
      await reconciler.stop();
    },
  };
}

const sooner = (one: ReconcileOutcome, other: ReconcileOutcome): ReconcileOutcome =>
  one && other ? { requeueAfterMs: Math.min(one.requeueAfterMs, other.requeueAfterMs) } : (one ?? other);

/** Removes the entries of deleted Memories of this name. Returns when to try again what failed. */
async function eraseDeleted(
  options: MemoryControllerOptions,
  { key, fitting }: { readonly key: NamespacedName; readonly fitting: Map<string, string> },
): Promise<ReconcileOutcome> {
  const outcomes = (await erasuresOf(options.store, key)).map(async (erasure) => {
    const outcome = await eraseOne(options, erasure);
    if (!outcome) fitting.delete(erasure.uid);
    return outcome;
  });
  return (await Promise.all(outcomes)).reduce(sooner, undefined);
}

async function eraseOne(
  { store, clock, log, claim, memory: { memories } }: MemoryControllerOptions,
  erasure: PendingErasure,
): Promise<ReconcileOutcome> {
  const { namespace, name } = erasure;
  const problem = await memories.erase(erasure, timeLimit(ERASE_MAX_MS)).then(() => undefined, problemOf);
  const ageMs = clock.now() - erasure.deletedAt;
  // A spec that cannot work never held entries.
  const isLast = ageMs > ERASE_TRIES_MS || problem?.reason === 'memory_provider' || problem?.reason === 'memory_endpoint';
  if (problem) log.warn({ namespace, name, problem: problem.message, final: isLast }, 'entries of a deleted Memory could not be removed');
  if (problem && !isLast) return { requeueAfterMs: Math.min(ERASE_AGAIN_MAX_MS, Math.max(FAILED_AGAIN_MS, ageMs)) };
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    await forgetErasure(tx, erasure);
  });
  return undefined;
}

interface ReconciledMemory {
  readonly object: StoredObject;
  readonly fitting: Map<string, string>;
  readonly answering: WeakSet<OpenMemory>;
  readonly signal: AbortSignal;
}

async function reconcileObject(
  options: MemoryControllerOptions,
  { object, fitting, answering, signal }: ReconciledMemory,
): Promise<ReconcileOutcome> {
  const look = await inspectBackend(options, { object, fitting });
  if (look.memory && !look.problem) answering.add(look.memory);
  await writePhase(options, object, look.problem?.message);
  if (look.problem?.retryable) return { requeueAfterMs: FAILED_AGAIN_MS };
  // A change of the object is reconciled by itself, and a backend of this process without references changes by nothing else.
  const canChange =
    look.memory && (look.memory.remote || look.memory.spec.auth?.secretRef !== undefined || look.memory.model !== undefined);
  const again = canChange ? { requeueAfterMs: look.problem ? REFUSED_AGAIN_MS : look.memory.checkEveryMs } : undefined;
  if (look.problem || look.memory?.model === undefined || look.facts?.unembedded === 0) return again;
  return (await embedAll(options.memory.entries, look.memory, signal)) ?? again;
}

/** Gives vectors to entries that have none; undefined when no more are left. */
async function embedAll(entries: MemoryEntries, memory: OpenMemory, signal: AbortSignal): Promise<ReconcileOutcome> {
  const until = AbortSignal.any([signal, timeLimit(PING_MAX_MS)]);
  try {
    while (await entries.embedSome(memory, { requestId: randomUUID(), signal: until }));
    return undefined;
  } catch (error) {
    // The rest is embedded the next time: the entries exist, and their keys are listed.
    if (until.aborted) return { requeueAfterMs: EMBEDDING_AGAIN_MS };
    if (error instanceof CallError) return { requeueAfterMs: memory.checkEveryMs };
    throw error;
  }
}

interface Problem {
  /** Sentence for `lastError`. */
  readonly message: string;
  readonly retryable: boolean;
  readonly reason?: string | undefined;
}

interface Look {
  /** Undefined where its spec cannot work. */
  readonly memory?: OpenMemory;
  readonly facts?: BackendFacts;
  /** Reason why the Memory cannot be used. */
  readonly problem?: Problem;
}

async function inspectBackend(
  { store, memory: { memories, entries } }: MemoryControllerOptions,
  { object, fitting }: { readonly object: StoredObject; readonly fitting: Map<string, string> },
): Promise<Look> {
  let memory: OpenMemory | undefined;
  const signal = timeLimit(PING_MAX_MS);
  try {
    memory = await memories.find(object);
    if (!memory) return {};
    await memories.checkSecret(memory);
    const model = memory.model === undefined ? undefined : await embeddingModel(store, memory, memory.model);
    const facts = await memory.backend.ping(signal);
    const version = model && `${object.generation} ${model.version}`;
    if (facts.dimensions !== undefined && version !== undefined && fitting.get(object.uid) !== version) {
      await entries
        .checkModel(memory, facts.dimensions, { requestId: randomUUID(), signal })
        .then(() => fitting.set(object.uid, version), onlyMismatch);
    }
    return { memory, facts };
  } catch (error) {
    return { ...(memory && { memory }), problem: problemOf(error) };
  }
}

/** Rethrows errors that no backend makes. */
function problemOf(error: unknown): Problem {
  if (error instanceof CallError) return { message: error.message, retryable: error.retryable, reason: error.reason };
  if (error instanceof DOMException) return { message: `the backend did not answer within ${PING_MAX_MS / 1000} s`, retryable: true };
  throw error;
}

/** A model that does not answer says nothing about the vectors. */
function onlyMismatch(error: unknown): void {
  if (!(error instanceof CallError || error instanceof DOMException)) throw error;
  if (isMismatch(error)) throw error;
}

const isMismatch = (error: unknown): boolean => error instanceof CallError && error.reason === 'memory_wrong_dimensions';

async function writePhase(
  { store, clock, claim }: MemoryControllerOptions,
  object: StoredObject,
  problem: string | undefined,
): Promise<void> {
  const phase = problem === undefined ? 'Ready' : 'Error';
  const { phase: shown, lastError, observedGeneration } = statusOf(KIND, object);
  if (shown === phase && lastError === problem && observedGeneration === object.generation) return;
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    const current = await tx.getObjectForUpdate({ kind: KIND, namespace: object.namespace, name: object.name });
    // A change meanwhile is reconciled next.
    if (current?.uid !== object.uid || current.generation !== object.generation) return;
    await updateStatus(tx, {
      key: object,
      clock,
      by: partName('controllers'),
      change: ({ lastError: _cleared, ...status }) => ({
        ...status,
        phase,
        ...(problem !== undefined && { lastError: problem }),
        observedGeneration: object.generation,
      }),
    });
  });
}
