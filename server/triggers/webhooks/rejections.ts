// Refused deliveries, gathered in memory and stored every 400 ms at most: a flood of bad signatures must not become a flood of writes.
import type { ObjectRef } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { noteDeliveries, type NewDelivery } from './records.ts';
import { WEBHOOK } from './webhook-hooks.ts';

/** With the delay of the status after it, counters lag by less than a second. */
export const FLUSH_MS = 400;
/** Refused deliveries of one flush that are listed; all are counted. */
const LISTED_MAX = 10;
/** Webhooks of which that many are listed in one flush. Of each further one a single delivery is, which stands for all. */
const WEBHOOKS_LISTED_MAX = 1_000;

export interface Rejections {
  note(webhook: ObjectRef, delivery: NewDelivery): void;
  /** Stores what is gathered; nothing is gathered afterwards. Resolves also when the store does not accept it. */
  close(): Promise<void>;
}

interface RejectionBatch {
  readonly webhook: ObjectRef;
  readonly deliveries: NewDelivery[];
}

export function createRejections(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}): Rejections {
  const { store, clock, reportError } = deps;
  const ended = new AbortController();
  /** One entry for each webhook at most: memory is bounded by the webhooks that exist. */
  const gathered = new Map<string, RejectionBatch>();
  let writing: Promise<void> | undefined;

  const gather = (webhook: ObjectRef, deliveries: readonly NewDelivery[]): void => {
    const known = gathered.get(webhook.uid) ?? { webhook, deliveries: [] };
    gathered.set(webhook.uid, known);
    const listed = gathered.size > WEBHOOKS_LISTED_MAX ? 1 : LISTED_MAX;
    for (const delivery of deliveries) addTo(known.deliveries, delivery, listed);
  };
  const writeOne = async ({ webhook, deliveries }: RejectionBatch): Promise<void> => {
    try {
      await transactAgain(store, async (tx) => {
        const object = await tx.getObjectForUpdate({ kind: WEBHOOK, namespace: webhook.namespace, name: webhook.name });
        if (object?.uid === webhook.uid) await noteDeliveries(tx, object, { deliveries, now: clock.now() });
      });
    } catch (error) {
      reportError(error);
      if (!ended.signal.aborted) gather(webhook, deliveries);
    }
  };
  const flush = async (): Promise<void> => {
    const due = [...gathered.values()];
    gathered.clear();
    for (const each of due) await writeOne(each);
  };
  /** Runs until nothing is gathered. What the store did not accept is stored with the next flush. */
  const write = async (): Promise<void> => {
    while (gathered.size > 0) {
      await clock.sleep(FLUSH_MS, ended.signal).catch(() => undefined);
      await flush();
    }
    writing = undefined;
  };
  return {
    note(webhook, delivery) {
      if (ended.signal.aborted) return;
      gather(webhook, [delivery]);
      writing ??= write();
    },
    async close() {
      ended.abort();
      await writing;
    },
  };
}

/** The newest ones are listed; the oldest of them stands for those left out. */
function addTo(deliveries: NewDelivery[], delivery: NewDelivery, listed: number): void {
  deliveries.push(delivery);
  while (deliveries.length > listed) {
    const [oldest, next] = deliveries.splice(0, 2);
    if (!oldest || !next) return;
    deliveries.unshift({ ...next, count: (next.count ?? 1) + (oldest.count ?? 1) });
  }
}
