// The loop around a reconciler: which keys of a kind to reconcile, how many at once, for how long, and the handling of failures.
// It is independent of any kind: the rules are in `reconcile`.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { isUnavailable } from '@svc/shared/errors';
import type { NamespacedName } from '@svc/shared/resource';
import { underSignals, type Clock } from '../../clock.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Change, Store } from '../../store/store.ts';
import type { Logger } from '../../log/log.ts';
import { createKeyQueue } from './key-queue.ts';
import { createKindFollower, type KindFollowerOptions } from './kind-follower.ts';
import type { Loop } from './loop.ts';
import { Retryable, Terminal } from './reconcile-error.ts';

/** Undefined: done until the object changes. Otherwise it is examined again after this time, unless a change comes first. */
export type ReconcileOutcome = undefined | { readonly requeueAfterMs: number };

export interface ReconcilerOptions extends Omit<KindFollowerOptions, 'onChange'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** For the log. */
  readonly name: string;
  readonly kind: string;
  /**
   * Reconciles one object, which may have been deleted. Never called for the same object twice at once.
   * `signal` aborts when the loop stops or the run takes too long. Throws Retryable or Terminal.
   */
  readonly reconcile: (key: NamespacedName, signal: AbortSignal) => Promise<ReconcileOutcome>;
  /** Whether the object of a change is to be reconciled; called in the order of the log. Must not throw. Absent: always. */
  readonly isDue?: (change: Change) => boolean;
  /** Objects reconciled at once. Default 4. */
  readonly concurrency?: number;
  /** The longest one run may take. Default 30 s. */
  readonly timeoutMs?: number;
}

export interface Reconciler extends Loop {
  /** Reconciles what has changed up to now, and resolves when that is done. */
  runOnce(): Promise<void>;
  /** Resolves when no run is in flight or about to begin. */
  drain(): Promise<void>;
  /** Has one object examined although it did not change. */
  add(key: NamespacedName): void;
}

const CONCURRENCY_DEFAULT = 4;
const TIMEOUT_DEFAULT_MS = 30_000;
const BACKOFF: BackoffRule = { backoffMs: 500, maxBackoffMs: 300_000, jitter: 'equal' };

/** Names hold no slash, so the text is unique. */
const textOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;

function keyOf(text: string): NamespacedName {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { clock } = options;
  const stopped = new AbortController();
  const failures = new Map<string, number>();

  const work = async (text: string): Promise<void> => {
    try {
      const outcome = await runOne(options, keyOf(text), stopped.signal);
      failures.delete(text);
      if (outcome) queue.addAt(text, clock.now() + outcome.requeueAfterMs);
    } catch (error) {
      if (stopped.signal.aborted) return;
      const tries = (failures.get(text) ?? 0) + 1;
      const waitMs = judge(options, { object: text, tries }, error);
      if (waitMs === undefined) return void failures.delete(text);
      failures.set(text, tries);
      queue.addAt(text, clock.now() + waitMs);
    }
  };
  const queue = createKeyQueue({ clock, concurrency: options.concurrency ?? CONCURRENCY_DEFAULT, work });
  const add = (key: NamespacedName): void => queue.add(textOf(key));
  const follower = createKindFollower({
    ...options,
    onChange(key, change) {
      if (!change || !options.isDue || options.isDue(change)) add(key);
    },
  });
  return {
    start: () => follower.start(),
    async stop() {
      // The queue first: what the abort ends, or the follower still reads, must begin no run whose signal is aborted from the start.
      const idle = queue.stop();
      stopped.abort();
      await follower.stop();
      await idle;
    },
    async runOnce() {
      await follower.runOnce();
      await queue.drain();
    },
    drain: () => queue.drain(),
    add,
  };
}

/** One run under its time limit. A run that does not heed the limit is waited for: its key must not run twice at once. */
async function runOne(options: ReconcilerOptions, key: NamespacedName, stopping: AbortSignal): Promise<ReconcileOutcome> {
  const { clock, timeoutMs = TIMEOUT_DEFAULT_MS } = options;
  const limit = new AbortController();
  const ended = new AbortController();
  const expire = () => limit.abort(new Retryable(`the run took longer than ${timeoutMs} ms`));
  clock.sleep(timeoutMs, ended.signal).then(expire, () => undefined);
  try {
    return await underSignals([stopping, limit.signal], (signal) => options.reconcile(key, signal));
  } finally {
    ended.abort();
  }
}

/** Logs the failure; how long to wait before the next try, or undefined when there is to be none. */
function judge(
  { log, name, kind, random }: ReconcilerOptions,
  about: { object: string; tries: number },
  error: unknown,
): number | undefined {
  const fields = { ...about, controller: name, kind, err: error };
  if (error instanceof LeaseLost) {
    log.info(fields, 'a reconciler wrote nothing: its leader has been succeeded');
    return undefined;
  }
  if (error instanceof Terminal) {
    log.error(fields, 'a reconciler gives up on an object until it changes');
    return undefined;
  }
  const waitMs =
    (error instanceof Retryable ? error.retryAfterMs : undefined) ?? backoffMs(BACKOFF, { failures: about.tries, random: random() });
  if (error instanceof Retryable || isUnavailable(error)) log.warn({ ...fields, waitMs }, 'a reconciler tries again later');
  else log.error({ ...fields, waitMs }, 'a reconciler failed and tries again later');
  return waitMs;
}
