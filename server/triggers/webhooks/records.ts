// Stored records of webhooks: endpoint, event ids, counters, and the newest deliveries. Documents; every write is part of the caller's transaction.
import { createHash } from 'node:crypto';
import type { DeliveryRecord } from '@svc/shared/api/webhooks';
import type { ObjectRef } from '@svc/shared/resource';
import { Collection } from '../../store/collection.ts';
import { dropExpiry, indexExpiry, type ExpiringDocuments } from '../../store/expiring-documents.ts';
import type { Fact, StoredObject, StoreReader, StoreTransaction } from '../../store/store.ts';

export const webhookEndpoints = new Collection<ObjectRef>('webhook.endpoint');
/** By the uid of the webhook. */
export const webhookStates = new Collection<WebhookState>('webhook.state');
const DELIVERIES = new Collection<StoredDelivery>('webhook.delivery');
const EVENT_COLLECTION = 'webhook.event';
const EVENTS = new Collection<{ readonly task: string; readonly expires_at: number }>(EVENT_COLLECTION);

export const EVENT_EXPIRY: ExpiringDocuments = { collections: [EVENT_COLLECTION], index: 'webhook.event.expiry' };
/** Work items that bring the status of a webhook up to date; the key is its uid. */
export const WEBHOOK_STATUS_QUEUE = 'webhook.status';
/** Deliveries that are listed, per webhook. */
const DELIVERIES_KEPT = 100;

export type DeliveryNote = Omit<DeliveryRecord, 'id'>;

/** Body of a delivery whose run could not be created, for a redelivery. */
interface KeptPayload {
  readonly base64: string;
}

export interface StoredDelivery extends DeliveryRecord {
  readonly payload?: KeptPayload;
}

export interface WebhookState {
  readonly endpoint: string;
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** Deliveries noted. */
  readonly noted: number;
  readonly lastDeliveryTime?: string;
  readonly lastEventID?: string;
  readonly lastTriggeredTask?: string;
  /** Reason of the newest delivery that could not start its run; removed by the next accepted one. */
  readonly error?: string;
}

/** The endpoint of a new webhook, with counters at 0. */
export async function putEndpoint(tx: StoreTransaction, { namespace, name, uid }: ObjectRef, endpoint: string): Promise<void> {
  await webhookEndpoints.put(tx, endpoint, { namespace, name, uid });
  await webhookStates.put(tx, uid, { endpoint, accepted: 0, duplicate: 0, rejected: 0, noted: 0 });
}

/** Event ids expire by themselves. */
export async function deleteRecords(tx: StoreTransaction, uid: string): Promise<void> {
  const state = await webhookStates.take(tx, uid);
  if (state) await webhookEndpoints.remove(tx, state.endpoint);
  for (const { id } of await storedDeliveries(tx, uid)) await DELIVERIES.remove(tx, id);
}

const eventKey = (uid: string, eventId: string) => `${uid}/${createHash('sha256').update(eventId, 'utf8').digest('hex')}`;

/** `namespace/name` of the run that this event started within the window. */
export async function findEvent(
  reader: StoreReader,
  { uid }: Pick<ObjectRef, 'uid'>,
  { eventId, now }: { readonly eventId: string; readonly now: number },
): Promise<string | undefined> {
  const stored = await EVENTS.get(reader, eventKey(uid, eventId));
  return stored && stored.expires_at > now ? stored.task : undefined;
}

export async function putEvent(
  tx: StoreTransaction,
  { uid }: Pick<ObjectRef, 'uid'>,
  event: { readonly eventId: string; readonly task: string; readonly expiresAt: number },
): Promise<void> {
  const id = eventKey(uid, event.eventId);
  const before = await EVENTS.get(tx, id);
  if (before) await dropExpiry(tx, EVENT_EXPIRY, { id, expiresAt: before.expires_at });
  await EVENTS.put(tx, id, { task: event.task, expires_at: event.expiresAt });
  await indexExpiry(tx, EVENT_EXPIRY, { id, expiresAt: event.expiresAt });
}

export interface NewDelivery extends DeliveryNote {
  readonly payload?: KeptPayload;
  /** Deliveries that this note stands for: a flood of refused ones is counted in full and listed in part. Default 1. */
  readonly count?: number;
}

/** Counts and lists deliveries. The caller holds the webhook's row, so that counts are exact. */
export async function noteDeliveries(
  tx: StoreTransaction,
  webhook: StoredObject,
  { deliveries, now }: { readonly deliveries: readonly NewDelivery[]; readonly now: number },
): Promise<void> {
  let state = await webhookStates.get(tx, webhook.uid);
  if (!state) return;
  for (const { count = 1, ...delivery } of deliveries) {
    const slot = String(state.noted % DELIVERIES_KEPT).padStart(3, '0');
    await DELIVERIES.put(tx, `${webhook.uid}/${slot}`, { id: String(state.noted + 1), ...delivery });
    state = counted(state, delivery, count);
    const fact = factOf(delivery);
    if (fact) await tx.appendFact(webhook, delivery.time, fact);
  }
  await webhookStates.put(tx, webhook.uid, state);
  await requestStatus(tx, webhook, now + STATUS_DELAY_MS);
}

/** A status is written once for all deliveries of this time. */
const STATUS_DELAY_MS = 400;

function counted(state: WebhookState, { outcome, time, event_id: eventId, task, reason }: DeliveryNote, count: number): WebhookState {
  const next = { ...state, noted: state.noted + 1, lastDeliveryTime: later(time, state.lastDeliveryTime) };
  if (outcome === 'duplicate') return { ...next, duplicate: state.duplicate + count };
  if (outcome === 'rejected') return { ...next, rejected: state.rejected + count };
  if (outcome === 'failed') return { ...next, rejected: state.rejected + count, ...(reason !== null && { error: reason }) };
  const { error: _past, ...rest } = next;
  return {
    ...rest,
    accepted: state.accepted + count,
    ...(eventId !== null && { lastEventID: eventId }),
    ...(task !== null && { lastTriggeredTask: task }),
  };
}

/** The later of two timestamps, which are in order as texts: a refused delivery is stored after accepted ones that arrived later. */
const later = (time: string, other = ''): string => (time > other ? time : other);

/** The fact of a delivery whose event has a run. Refused ones have none: a sender without the secret must not make the change log grow. */
function factOf({ outcome, event_id: eventId, task }: DeliveryNote): Fact | undefined {
  if (outcome !== 'accepted' && outcome !== 'duplicate') return undefined;
  const message = outcome === 'accepted' ? `started the run ${task}` : `the event has its run ${task}`;
  return { type: `taskwebhook.delivery.${outcome}`, source: 'triggers', action: outcome, message, data: { event_id: eventId, task } };
}

/** Has the status written at this moment, unless it is going to be written anyway. */
export async function requestStatus(tx: StoreTransaction, { uid, namespace, name }: ObjectRef, at: number): Promise<void> {
  if (await tx.getWorkItem(WEBHOOK_STATUS_QUEUE, uid)) return;
  await tx.enqueueWork({ queue: WEBHOOK_STATUS_QUEUE, key: uid, namespace, name, rank: at, notBefore: at, requirements: {} });
}

const storedDeliveries = (reader: StoreReader, uid: string) => DELIVERIES.listUnder(reader, `${uid}/`, { limit: DELIVERIES_KEPT });

/** Newest first, those of one moment by their ids; at most DELIVERIES_KEPT. */
export async function listDeliveries(reader: StoreReader, uid: string): Promise<DeliveryRecord[]> {
  const stored = await storedDeliveries(reader, uid);
  const records = stored.map(({ document: { payload: _kept, ...record } }) => record);
  return records.sort((a, b) => Date.parse(b.time) - Date.parse(a.time) || Number(b.id) - Number(a.id));
}

export async function readDelivery(reader: StoreReader, uid: string, id: string): Promise<StoredDelivery | undefined> {
  const slot = String((Number(id) - 1) % DELIVERIES_KEPT).padStart(3, '0');
  const stored = await DELIVERIES.get(reader, `${uid}/${slot}`);
  return stored?.id === id ? stored : undefined;
}
