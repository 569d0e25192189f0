// Refused deliveries, gathered in memory and stored at most once a second: a flood of bad signatures must not become a flood of writes.
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { noteDeliveries, type NewDelivery, type WebhookRef } from './records.ts';
import { WEBHOOK } from './webhook-hooks.ts';

const FLUSH_MS = 1_000;
/** Refused deliveries of one second that are listed; all are counted. */
const LISTED_MAX = 10;
/** Webhooks with refused deliveries in memory; counts of further ones wait for the next second. */
const WEBHOOKS_MAX = 1_000;

export interface Rejections {
  note(webhook: WebhookRef, delivery: NewDelivery): void;
  /** Stores what is gathered; nothing is gathered afterwards. */
  close(): Promise<void>;
}

interface Gathered {
  readonly webhook: WebhookRef;
  readonly deliveries: NewDelivery[];
}

export function createRejections(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
}): Rejections {
  const { store, clock, reportError } = deps;
  const ended = new AbortController();
  const gathered = new Map<string, Gathered>();
  let waiting: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    const due = [...gathered.values()];
    gathered.clear();
    for (const { webhook, deliveries } of due)
      await transactAgain(store, async (tx) => {
        const object = await tx.getObjectForUpdate({ kind: WEBHOOK, namespace: webhook.namespace, name: webhook.name });
        if (object?.uid === webhook.uid) await noteDeliveries(tx, object, { deliveries, now: clock.now() });
      }).catch(reportError);
  };
  const flushLater = async (): Promise<void> => {
    await clock.sleep(FLUSH_MS, ended.signal).catch(() => undefined);
    waiting = undefined;
    await flush();
  };
  return {
    note(webhook, delivery) {
      const known = gathered.get(webhook.uid);
      if (known) addTo(known.deliveries, delivery);
      else if (gathered.size < WEBHOOKS_MAX) gathered.set(webhook.uid, { webhook, deliveries: [delivery] });
      if (!ended.signal.aborted) waiting ??= flushLater().catch(reportError);
    },
    async close() {
      const last = waiting;
      ended.abort();
      await last;
    },
  };
}

/** The newest ones are listed; the last of them stands for those left out. */
function addTo(deliveries: NewDelivery[], delivery: NewDelivery): void {
  if (deliveries.length < LISTED_MAX) return void deliveries.push(delivery);
  const [oldest] = deliveries.splice(0, 1);
  const next = deliveries[0];
  if (next) deliveries[0] = { ...next, count: (next.count ?? 1) + (oldest?.count ?? 1) };
  deliveries.push(delivery);
}
