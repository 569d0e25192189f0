// Phase of each Memory: whether its provider is known and its backend answers. Looks again by itself. Run by the leader.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { ObjectKey } from '../controllers/runtime/kind-follower.ts';
import { createReconciler, type Reconciler, type ReconcileOutcome, type ReconcilerOptions } from '../controllers/runtime/reconciler.ts';
import { CallError } from '../engine/ports.ts';
import { updateStatus } from '../registry/own-writes.ts';
import { partName } from '../registry/principal.ts';
import type { Claim, StoredObject } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { Memories } from './create-memories.ts';

export interface MemoryControllerOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  /** The leader's: nothing is written once it has been taken over. */
  readonly claim: Claim;
  readonly memory: Pick<Memories, 'memories'>;
}

const KIND = 'Memory';
const PING_MAX_MS = 10_000;
/** Time to the next look at a backend that answered, and at one that did not. */
const READY_AGAIN_MS = 60_000;
const FAILED_AGAIN_MS = 5_000;

export function createMemoryController(options: MemoryControllerOptions): Reconciler {
  const reconcile = async (key: ObjectKey): Promise<ReconcileOutcome> => {
    const object = await options.store.getObject({ kind: KIND, ...key });
    const held = options.memory.memories.held(key);
    if (held && held.uid !== object?.uid) await options.memory.memories.erase(held, AbortSignal.timeout(PING_MAX_MS));
    if (!object) return undefined;
    const problem = await problemOf(options, object);
    await writePhase(options, object, problem?.message);
    // A backend of this process needs no second look after an answer.
    if (problem === undefined) return isLocal(object) ? undefined : { requeueAfterMs: READY_AGAIN_MS };
    // A change of the object is reconciled by itself.
    return problem.retryable ? { requeueAfterMs: FAILED_AGAIN_MS } : undefined;
  };
  return createReconciler({ ...options, name: 'memories', kind: KIND, reconcile });
}

const isLocal = (object: StoredObject): boolean => ['in-memory', 'embedded'].includes(specOf(KIND, object).provider ?? '');

interface Problem {
  /** Sentence for `lastError`. */
  readonly message: string;
  readonly retryable: boolean;
}

/** Reason why the Memory cannot be used. */
async function problemOf({ memory }: MemoryControllerOptions, object: StoredObject): Promise<Problem | undefined> {
  try {
    await memory.memories.open(object).backend.ping(AbortSignal.timeout(PING_MAX_MS));
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return { message: error.message, retryable: error.retryable };
    if (error instanceof DOMException) return { message: `the backend did not answer within ${PING_MAX_MS / 1000} s`, retryable: true };
    throw error;
  }
}

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
