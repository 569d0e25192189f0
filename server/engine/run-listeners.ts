// Port for parts that keep records about runs, such as conversations: called in the transaction that ends or suspends a run.
import { isUnavailable } from '@svc/shared/errors';
import type { Resource } from '@svc/shared/resource';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../log/log.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import { OutsideFirst } from '../store/outside-first.ts';
import type { StoreTransaction } from '../store/store.ts';
import { WriteRace } from '../store/write-race.ts';
import type { Failure } from './core/entries.ts';
import type { OpenWait } from './core/waits.ts';
import { noRecord, type OpenRecord } from './run-record.ts';

interface TokenCount {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The last event of a run. */
export interface RunEnded {
  readonly kind: 'ended';
  /** `deleted`: the Task was deleted before its run had ended. */
  readonly how: 'succeeded' | 'failed' | 'cancelled' | 'dead_lettered' | 'deleted';
  readonly failure: Failure | undefined;
  /** `status.output` of the Task; empty for a deleted one. */
  readonly output: Readonly<Record<string, string>>;
  /** Tokens of all its model calls; zeros for a deleted one. */
  readonly usage: TokenCount;
}

/** The run has not ended and no worker holds it. */
export interface RunSuspended {
  readonly kind: 'suspended';
  /** `retry`: until its next attempt; `blocked`: until an object it needs is there; `released`: its worker stops; `paused`: until it is resumed. */
  readonly why: 'approval' | 'retry' | 'blocked' | 'released' | 'paused';
  /** Moment at which it continues by itself, in milliseconds since the epoch. */
  readonly until: number | undefined;
  /** Open questions, the oldest first; with `why` `approval`. */
  readonly waits: readonly OpenWait[];
}

export type RunChange = RunEnded | RunSuspended;

/**
 * Called once for each end and each suspension of a run, after its journal entries and its status are written and before the commit, in the
 * same transaction: what the listener writes is kept or lost together with them. The transaction may be run again after a lost race, so the
 * listener changes nothing but through `tx`, awaits nothing but `tx`, and keeps to a bounded number of store calls. A run is never held up by
 * a broken listener: WriteRace, OutsideFirst, LeaseLost and `unavailable` run the transaction again; any other error is logged, rolls the
 * transaction back, and the next run of it leaves that listener out for this change.
 */
export interface RunListener {
  /** For the log. */
  readonly name: string;
  /** `task` is the Task after the change; the last state of a deleted one. */
  readonly onRunChange: (tx: StoreTransaction, task: Resource, change: RunChange) => Promise<void>;
}

export interface RunListeners {
  readonly openRecord: OpenRecord;
  /** `task` is called only when there is a listener. */
  readonly notify: (tx: StoreTransaction, task: () => Resource, change: RunChange) => Promise<void>;
}

export const noRunListeners: RunListeners = { notify: () => Promise.resolve(), openRecord: noRecord };

/** Failures kept until the transaction runs again; past this the oldest is dropped, and its listener is called once more. */
const FAILURES_MAX = 1_000;

/** Calls the listeners in their order. */
export function createRunListeners(listeners: readonly RunListener[], log: Logger, openRecord = noRecord): RunListeners {
  const failed = new LRUCache<string, true>({ max: FAILURES_MAX });
  return {
    openRecord,
    async notify(tx, taskOf, change) {
      if (listeners.length === 0) return;
      const task = taskOf();
      const { uid, namespace, name: taskName } = task.metadata;
      const callOf = (name: string) => `${name} ${uid} ${change.kind}`;
      for (const { name, onRunChange } of listeners) {
        if (failed.has(callOf(name))) continue;
        try {
          await onRunChange(tx, task, change);
        } catch (error) {
          if (isPassing(error)) throw error;
          const fields = { err: error, listener: name, task: `${namespace}/${taskName}`, change: change.kind };
          log.error(fields, 'a run listener failed; it is left out of this change');
          failed.set(callOf(name), true);
          throw new WriteRace(error);
        }
      }
      for (const { name } of listeners) failed.delete(callOf(name));
    },
  };
}

function isPassing(error: unknown): boolean {
  if (error instanceof WriteRace || error instanceof OutsideFirst || error instanceof LeaseLost) return true;
  return isUnavailable(error);
}
