// How registry writes use the store's transactions: real ones, and dry runs that leave no trace.
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

/** Carries a dry run's end through the store, which rolls back on any throw. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';
}

/** Runs `work` in one transaction. A dry run does everything, hooks included, and rolls it back. `work` may run several times. */
export function transact<T>(store: Store, dryRun: boolean, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  return dryRun ? rehearse(store, work) : transactAgain(store, work);
}

async function rehearse<T>(store: Store, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  let outcome: { value: T } | undefined;
  try {
    await transactAgain(store, async (tx) => {
      outcome = { value: await work(tx) };
      throw new DryRunEnd();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error;
  }
  if (!outcome) throw new Error('the store committed a transaction that ended in a throw');
  return outcome.value;
}
