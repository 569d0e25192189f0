// A real store that is unavailable on a test's command: before a transaction is begun, or after it was committed and before its answer came,
// or so that the transaction is carried out long after the caller received an unknown outcome.
import { ServiceError } from '@svc/shared/errors';
import type { Store } from '../store/store.ts';

export type Fault = 'before' | 'after' | 'late';

export interface FaultyStore {
  readonly store: Store;
  /** Asked before each transaction, counted from 1, and each read of journals, signals, event streams and the queue (0). */
  fault: (transaction: number) => Fault | undefined;
  readonly transactions: () => number;
}

const away = () => new ServiceError('unavailable', 'the store does not answer');

/** Reads fail while `fault(0)` returns true. */
export function faultyStore(real: Store): FaultyStore {
  let count = 0;
  /** Carried out just before the next transaction. */
  let late: (() => Promise<unknown>) | undefined;
  const faulty: FaultyStore = {
    fault: () => undefined,
    transactions: () => count,
    store: new Proxy(real, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = (value as (...args: unknown[]) => unknown).bind(target);
        if (name === 'transaction') return transaction;
        if (!READS.has(name)) return method;
        return (...args: unknown[]) => (faulty.fault(0) ? Promise.reject(away()) : method(...args));
      },
    }),
  };
  const transaction: Store['transaction'] = async (work) => {
    const fault = faulty.fault((count += 1));
    if (fault === 'before') throw away();
    await late?.();
    late = undefined;
    if (fault === 'late') {
      late = () => real.transaction(work);
      throw away();
    }
    const result = await real.transaction(work);
    if (fault === 'after') throw away();
    return result;
  };
  return faulty;
}

const READS: ReadonlySet<string | symbol> = new Set(['readJournal', 'readSignals', 'readEvents', 'eventHead', 'nextWorkAt']);
