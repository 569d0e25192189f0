// How registry writes use the store's transactions: dry runs that leave no trace, and retries when another writer came first.
import { ServiceError } from '@svc/shared/errors';
import type { Store, StoreTransaction } from '../store/store.ts';

/** Rounds of reading and writing again after a lost race, before the caller is told. */
const RACE_ROUNDS_MAX = 8;

/** Another writer changed the object between this transaction's read and write. */
class WriteRace extends Error {
  override readonly name = 'WriteRace';
  constructor(override readonly cause: ServiceError) {
    super(cause.message);
  }
}

/** Carries a dry run's end through the store, which rolls back on any throw. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';
}

/** Marks a store write whose `conflict` means a race: the whole transaction is then run again, and judges its preconditions anew. */
export async function racing<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found')) throw new WriteRace(error);
    throw error;
  }
}

/** Runs `work` in one transaction. A dry run does everything, hooks included, and rolls it back. `work` may run several times. */
export async function transact<T>(store: Store, dryRun: boolean, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await (dryRun ? rehearse(store, work) : store.transaction(work));
    } catch (error) {
      if (!(error instanceof WriteRace)) throw error;
      if (round >= RACE_ROUNDS_MAX) throw error.cause;
    }
  }
}

async function rehearse<T>(store: Store, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  let outcome: { value: T } | undefined;
  try {
    await store.transaction(async (tx) => {
      outcome = { value: await work(tx) };
      throw new DryRunEnd();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error;
  }
  if (!outcome) throw new Error('the store committed a transaction that ended in a throw');
  return outcome.value;
}
