// Brings texts that were written into the index of words, in the background and in small steps. A write only queues its object.
import type { Store, TextBatch } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { createWakeUp } from '../wake-up.ts';
import type { Indexer, IndexerOptions } from './reference-indexer.ts';

/** Texts of one transaction: few, so that other writers hardly wait. */
const BATCH: TextBatch = { objects: 100, bytes: 256 * 1024 };
/** A search waits for this many of them, so that it finds what was just written. */
const CATCH_UP_BATCHES = 5;
/** Steps begin at least this far apart: a Task that ends at once is indexed once. */
const SPACING_MS = 1_000;
/** Commits wake the loop. This is for notices that were lost. */
const POLL_MS = 60_000;
const RETRY_MS = 5_000;

/** One transaction. Returns whether any may be left. */
const step = (store: Store): Promise<boolean> => transactAgain(store, (tx) => tx.indexTexts(BATCH));

export function createTextIndexer({ store, clock, reportError }: IndexerOptions): Indexer {
  const runOnce = async (stopped?: AbortSignal): Promise<void> => {
    if (!(await store.hasPendingTexts())) return;
    while (!stopped?.aborted && (await step(store)));
  };
  const tick = (stopped: AbortSignal) => runOnce(stopped).then(() => undefined);
  const wakeUp = createWakeUp({ clock, tick, pollMs: POLL_MS, spacingMs: () => SPACING_MS, retryMs: RETRY_MS, onError: reportError });
  let ignoreCommits = (): void => undefined;
  return {
    start() {
      ignoreCommits = store.onCommit(wakeUp.now);
      wakeUp.start();
    },
    async stop() {
      ignoreCommits();
      await wakeUp.stop();
    },
    runOnce: () => runOnce(),
  };
}

/** Indexes what was written just now, before a search. True when something may be left. A store that takes no writes is searched as it is. */
export async function catchUp(store: Store): Promise<boolean> {
  if (!(await store.hasPendingTexts())) return false;
  let left = true;
  for (let i = 0; left && i < CATCH_UP_BATCHES; i += 1) left = await step(store).catch(() => false);
  return store.hasPendingTexts();
}
