// Reports objects of a kind that may have changed: all of them at the start, then each change of the log from there on, and all again now and then.
// It keeps no objects: the receiver reads the present state.
import type { NamespacedName } from '@svc/shared/resource';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { readLog } from '../../registry/watch/follow-changes.ts';
import { eachObject } from '../../store/each-object.ts';
import type { Change, Store } from '../../store/store.ts';
import type { Logger } from '../../log/log.ts';
import { createWakeUp } from '../../wake-up.ts';
import type { Loop } from './loop.ts';
import { createOutageLog } from './outage-log.ts';

export interface KindFollowerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kind: string;
  /** An object was found in a list (`change` is absent), made, changed or deleted. Called in the order of the log; must not throw. */
  readonly onChange: (key: NamespacedName, change?: Change) => void;
  /** Further keys that each list reports, such as those of deleted objects that left something behind. */
  readonly others?: () => AsyncIterable<NamespacedName>;
  /** Interval at which everything is reported again. Default 10 min. */
  readonly resyncMs?: number;
  /** Commits this close together are read as one. Default 100 ms. */
  readonly coalesceMs?: number;
}

export interface KindFollower extends Loop {
  /** Reports everything up to now. */
  runOnce(): Promise<void>;
}

const RESYNC_DEFAULT_MS = 600_000;
const COALESCE_DEFAULT_MS = 100;
/** Objects that are listed before other work of the process has a turn. */
const STRETCH = 100;
const STORE_RETRY_MS = 1_000;
const STORE_RETRY_MAX_MS = 5_000;

export function createKindFollower(options: KindFollowerOptions): KindFollower {
  const { store, clock, log, kind, resyncMs = RESYNC_DEFAULT_MS, coalesceMs = COALESCE_DEFAULT_MS } = options;
  /** Everything up to here has been reported; undefined until everything was listed. */
  let position: number | undefined;
  /** The newest change by the notices of commits. */
  let announced = 0;
  const outage = createOutageLog(log, 'reading changes', { kind });
  let listedAt = 0;
  let unsubscribe: (() => void) | undefined;

  const newest = async (): Promise<number> => (await store.changeBounds()).head;
  const list = async (): Promise<number> => {
    const head = await newest();
    let listed = 0;
    for await (const object of eachObject(store, { kind })) {
      options.onChange(object);
      listed += 1;
      if (listed % STRETCH === 0) await setImmediate();
    }
    if (options.others) for await (const key of options.others()) options.onChange(key);
    listedAt = clock.now();
    return head;
  };
  /** Without a read where a notice came since the last report. */
  const newestAnnounced = async (): Promise<number> => (announced > (position ?? announced) ? announced : newest());
  const follow = async (after: number, head: number): Promise<number | undefined> => {
    let seq = after;
    while (seq < head) {
      const read = await readLog(store, { kind }, { after: seq, through: head });
      // The log no longer reaches back to this position.
      if (!read) return undefined;
      for (const change of read.changes) if (change.type !== 'fact') options.onChange(change, change);
      seq = read.seq;
    }
    return seq;
  };
  const report = async (headOf: () => Promise<number>): Promise<void> => {
    if (position !== undefined) {
      // A list shows no deletions, so the log is followed from the previous position.
      if (clock.now() - listedAt >= resyncMs) await list();
      position = await follow(position, await headOf());
    }
    position ??= await list();
  };
  const wakeUp = createWakeUp({
    clock,
    pollMs: resyncMs,
    spacingMs: () => coalesceMs,
    retryMs: STORE_RETRY_MS,
    retryMaxMs: STORE_RETRY_MAX_MS,
    onError: outage.failed,
    async tick() {
      await report(newestAnnounced);
      outage.worked();
      return undefined;
    },
  });
  return {
    start() {
      unsubscribe ??= store.onCommit(({ head }) => {
        if (head <= announced) return;
        announced = head;
        wakeUp.now();
      });
      wakeUp.start();
    },
    async stop() {
      unsubscribe?.();
      await wakeUp.stop();
    },
    runOnce: () => report(newest),
  };
}
