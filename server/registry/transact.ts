// How registry writes use the store's transactions: real ones, and dry runs that leave no trace.
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

/** Carries a dry run's end through the store, which rolls back on any throw. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';
}

export interface TransactOptions {
  /** Does everything, hooks included, and rolls it back. */
  readonly dryRun?: boolean | undefined;
  /** Writes a single object, which is new in most cases. */
  readonly creates?: boolean;
}

/** Runs `work` in one transaction. `work` may run several times. */
export function transact<T>(store: Store, how: TransactOptions, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  return how.dryRun === true ? rehearse(store, work) : transactAgain(store, work, { repeatable: how.creates === true });
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
