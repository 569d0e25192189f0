// Counts the store's failures and times its transactions, from outside. It changes no call and no answer.
import { ServiceError } from '@svc/shared/errors';
import { Counter, Histogram, type Registry } from 'prom-client';
import { overlay } from '../overlay.ts';
import type { Store } from '../store/store.ts';

const TRANSACTION_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Refusals such as `conflict` are answers of the store; these are its failures. Undefined for an answer. */
function failureOf(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return 'internal';
  if (error.name === 'WriteRace') return 'write_race';
  return error.code === 'unavailable' || error.code === 'internal' ? error.code : undefined;
}

/** The same store with its failures and transactions counted in the registry. Once per registry. */
export function measureStore(store: Store, registry: Registry): Store {
  const errors = new Counter({
    name: 'svc_store_errors_total',
    help: 'Calls of the store that failed: unavailable, internal, or a write that lost a race and is run again.',
    labelNames: ['code'],
    registers: [registry],
  });
  for (const code of ['unavailable', 'internal', 'write_race']) errors.inc({ code }, 0);
  const transactions = new Histogram({
    name: 'svc_store_transaction_seconds',
    help: 'Time of one transaction until it was durable or had failed.',
    buckets: TRANSACTION_BUCKETS_S,
    registers: [registry],
  });
  const watched = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const code = failureOf(error);
      if (code !== undefined) errors.inc({ code });
      throw error;
    }
  };
  const timed: Store['transaction'] = async (work, options) => {
    const end = transactions.startTimer();
    try {
      return await watched(store.transaction(work, options));
    } finally {
      end();
    }
  };
  const unwatched: Partial<Store> = {
    onCommit: (listener) => store.onCommit(listener),
    broadcast: (messages) => store.broadcast(messages),
    onBroadcast: (listener) => store.onBroadcast(listener),
    close: () => store.close(),
  };
  return overlay(
    store,
    { ...unwatched, transaction: timed },
    (call) =>
      (...args) =>
        watched(call(...args) as Promise<unknown>),
  );
}
