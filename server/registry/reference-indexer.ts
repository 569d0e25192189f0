// Brings objects that an older version wrote into the index of references, in the background and in small steps that each note how far they came.
import type { Clock } from '../clock.ts';
import type { ListCursor } from '../store/list-order.ts';
import type { Store, StoreReader } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { createWakeUp } from '../wake-up.ts';
import { indexedKinds, REFERENCE_INDEX_VERSION } from './reference-index.ts';

const COLLECTION = 'index';
const ID = 'references';
/** Objects of one transaction: few, so that other writers hardly wait. */
const BATCH = 100;
/** Nothing is to be done once all are indexed. */
const POLL_MS = 3_600_000;
const RETRY_MS = 5_000;

/** How far the index has come. */
interface Progress {
  readonly version: number;
  readonly done: boolean;
  /** While not done: the kind in flight, and the last object of it. */
  readonly kind?: string;
  readonly after?: ListCursor;
}

export interface IndexerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}

export interface Indexer {
  start(): void;
  /** Resolves when the current step has ended; the next start continues behind it. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Does what is left. */
  runOnce(): Promise<void>;
}

/** Whether every object is in the index. Once it is, the store is not read again. */
export function createIndexCheck(store: StoreReader): () => Promise<boolean> {
  let done = false;
  return async () => (done ||= (await readProgress(store))?.done === true);
}

export function createReferenceIndexer({ store, clock, reportError }: IndexerOptions): Indexer {
  const runOnce = async (stopped?: AbortSignal) => {
    while (!stopped?.aborted && !(await step(store)));
  };
  const tick = (stopped: AbortSignal) => runOnce(stopped).then(() => undefined);
  const { start, stop } = createWakeUp({ clock, tick, pollMs: POLL_MS, retryMs: RETRY_MS, onError: reportError });
  return { start, stop, runOnce: () => runOnce() };
}

async function readProgress(store: StoreReader): Promise<Progress | undefined> {
  const progress = (await store.getDocument(COLLECTION, ID)) as Progress | undefined;
  return progress?.version === REFERENCE_INDEX_VERSION ? progress : undefined;
}

/** One transaction. True when nothing is left. Steps of two processes at once do the same twice, which changes nothing. */
async function step(store: Store): Promise<boolean> {
  if ((await readProgress(store))?.done) return true;
  return transactAgain(store, async (tx) => {
    const progress = await readProgress(tx);
    const left = kindsFrom(progress?.kind);
    const [kind] = left;
    const after =
      kind === undefined ? undefined : await tx.reindexObjects(kind, kind === progress?.kind ? progress.after : undefined, BATCH);
    const next = after ? kind : left[1];
    const version = REFERENCE_INDEX_VERSION;
    const reached: Progress = next === undefined ? { version, done: true } : { version, done: false, kind: next, ...(after && { after }) };
    await tx.putDocument(COLLECTION, ID, { ...reached });
    return reached.done;
  });
}

/** A stored kind that was removed restarts the whole work. */
function kindsFrom(kind: string | undefined): string[] {
  const all = indexedKinds();
  return all.slice(Math.max(0, kind === undefined ? 0 : all.indexOf(kind)));
}
