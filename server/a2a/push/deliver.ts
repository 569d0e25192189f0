// Deliveries of push notifications: in order for each configuration, through the egress guard, with retries over a day.
import { backoffMs } from '@svc/shared/backoff';
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import type { Egress } from '../../egress/egress.ts';
import { isSuccess } from '../../egress/http-status.ts';
import { CallError } from '../../engine/ports.ts';
import type { Logger } from '../../log/log.ts';
import { NOBODY, requireSystemAccess } from '../../registry/authorise.ts';
import type { Identity } from '../../registry/registry.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { isTerminal } from '../model.ts';
import { writeTask, type WrittenJson } from '../rpc/write-task.ts';
import { findOpenSystem, isPublic } from '../systems.ts';
import { viewTask } from '../tasks/follow.ts';
import { callerNameOf, ownerOf, readRecord, type TaskRecord } from '../tasks/records.ts';
import type { CallAuthorizer } from '../rpc/send-as-person.ts';
import { CallerPlaces, DELIVERIES_AT_ONCE } from './caller-places.ts';
import type { PushDeps } from './methods.ts';
import {
  endNotification,
  PUSH_QUEUE,
  readNotification,
  replaceNotification,
  type KeptConfig,
  type WaitingNotification,
} from './records.ts';
import { timeLimit } from '../../clock.ts';

export interface DeliveryDeps extends PushDeps {
  readonly egress: Egress;
  readonly log: Logger;
  readonly random: () => number;
  /** Identity of the caller of this name; undefined once its token is revoked. */
  readonly principal: (name: string) => Promise<Identity | undefined>;
  /** An operator's own rules. */
  readonly authorizer?: CallAuthorizer | undefined;
}

const REQUEST_MAX_MS = 10_000;
const GIVE_UP_MS = 24 * 60 * 60_000;
const BACKOFF = { backoffMs: 1_000, maxBackoffMs: 15 * 60_000, jitter: 'equal' } as const;
/** Wait of a notification behind another one, which wakes it once it is delivered. */
const BEHIND_MS = 5_000;
const TOKEN_HEADER = 'x-a2a-notification-token';

type Outcome = { readonly againAt: number } | undefined;
/** Records the outcome of a delivery in the transaction that ends or keeps its work item. */
type Conclude = (tx: StoreTransaction, now: number) => Promise<Outcome>;

const done: Conclude = () => Promise.resolve(undefined);

/** Timer of deliveries: the request is made before the transaction, at least once. */
export function pushTimer(deps: DeliveryDeps) {
  const places = new CallerPlaces();
  return {
    queue: PUSH_QUEUE,
    concurrency: DELIVERIES_AT_ONCE,
    prepare: (key: string) => prepare(deps, places, key),
  };
}

async function prepare(deps: DeliveryDeps, places: CallerPlaces, key: string): Promise<Conclude> {
  const { store, secretBox } = deps;
  const waiting = await readNotification(store, secretBox, key);
  if (!waiting) return done;
  if (waiting.behind !== undefined) {
    const first = await store.getWorkItem(PUSH_QUEUE, waiting.behind);
    return (_tx, now) => Promise.resolve({ againAt: Math.max(now + BEHIND_MS, first?.notBefore ?? 0) });
  }
  const { to } = waiting;
  const record = to && (await readRecord(store, waiting.recordKey));
  // Its configuration or its task was deleted.
  if (!record) return ends(waiting);
  if (!places.enter(record.owner, key)) return (_tx, now) => Promise.resolve({ againAt: now + REQUEST_MAX_MS });
  const conclude = await deliver(deps, waiting, { to, record });
  const next = places.leave(record.owner);
  return async (tx, now) => {
    const outcome = await conclude(tx, now);
    if (next !== undefined) await wakeItem(tx, { queue: PUSH_QUEUE, key: next }, now);
    return outcome;
  };
}

interface Delivery {
  readonly to: KeptConfig;
  readonly record: TaskRecord;
}

/** Never rejects. */
async function deliver(deps: DeliveryDeps, waiting: WaitingNotification, { to, record }: Delivery): Promise<Conclude> {
  try {
    if (!(await mayReceive(deps, record))) return ends(waiting);
    await post(deps, to, await bodyOf(deps, waiting, { to, record }));
    return ends(waiting);
  } catch (error) {
    return failed(deps, waiting, error);
  }
}

/** The task as it was at the change; its artifacts are there once it has ended. */
async function bodyOf(
  { store }: Pick<DeliveryDeps, 'store'>,
  { notification: { state, timestamp, message } }: WaitingNotification,
  { to: { dialect }, record }: Delivery,
): Promise<WrittenJson> {
  const { message: _now, artifacts, ...current } = await viewTask({ store }, record);
  const task = { ...current, state, timestamp, ...(message && { message }), artifacts: isTerminal(state) ? artifacts : [] };
  return dialect === 'v1' ? { task: writeTask(task, 'v1') } : writeTask(task, dialect);
}

/** The caller and the system as they are now, as for a call of its own. Throws `unavailable` while the authorizer does not answer. */
async function mayReceive({ store, principal, authorizer }: DeliveryDeps, record: TaskRecord): Promise<boolean> {
  const { namespace, name } = record.system;
  const caller = callerNameOf(record);
  const identity = caller === '' ? NOBODY : await principal(caller);
  if (!identity || ownerOf(identity) !== record.owner) return false;
  const open = await findOpenSystem(store, record.system);
  if (!open) return false;
  try {
    requireSystemAccess(caller === '' ? undefined : identity, { namespace, name, isPublic: isPublic(open) });
    await authorizer?.require(identity, { method: 'POST', resource: 'a2a', namespace, name });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unauthorized' || error.code === 'forbidden')) return false;
    throw error;
  }
}

async function post(
  { egress, allowPrivate, permittedBy }: DeliveryDeps,
  { config, dialect }: KeptConfig,
  body: WrittenJson,
): Promise<void> {
  const { url, token, scheme, credentials } = config;
  const response = await egress.send({
    ...{ method: 'POST', url, allowPrivate, permittedBy },
    headers: { 'content-type': dialect === 'v1' ? 'application/a2a+json' : 'application/json', accept: '*/*' },
    credentials: {
      ...(token !== undefined && { [TOKEN_HEADER]: token }),
      ...(credentials !== undefined && { authorization: `${scheme ?? 'Bearer'} ${credentials}` }),
    },
    body: JSON.stringify(body),
    signal: timeLimit(REQUEST_MAX_MS),
    followRedirects: 'with-body',
  });
  response.discard();
  if (isSuccess(response.status)) return;
  throw new CallError('execution_failed', `the receiver answered ${response.status}`, {
    retryable: true,
    reason: `http_${response.status}`,
  });
}

const ends =
  ({ key }: WaitingNotification): Conclude =>
  async (tx, now) => {
    const next = await endNotification(tx, key);
    if (next !== undefined) await wakeItem(tx, { queue: PUSH_QUEUE, key: next }, now);
    return undefined;
  };

/** Waiting does not unblock an address. */
function failed({ log, random, secretBox }: DeliveryDeps, waiting: WaitingNotification, error: unknown): Conclude {
  const { key, notification, to } = waiting;
  const receiver = to && new URL(to.config.url).origin;
  const reason =
    error instanceof CallError || error instanceof ServiceError ? error.message : error instanceof Error ? error.name : 'unknown';
  const isBlocked = error instanceof CallError && error.code === 'egress_blocked';
  return async (tx, now) => {
    const current = await readNotification(tx, secretBox, key);
    if (!current) return undefined;
    // Its client replaced the configuration meanwhile.
    if (!jsonEquals(current.to, to)) return { againAt: now };
    if (isBlocked || now - notification.createdAt >= GIVE_UP_MS) {
      log.warn({ receiver, reason, state: notification.state }, 'a push notification was given up');
      return ends(waiting)(tx, now);
    }
    const failures = notification.failures + 1;
    log.info({ receiver, reason, failures }, 'a push notification was not delivered; it will be retried');
    const wait = backoffMs(BACKOFF, { failures, random: random() });
    await replaceNotification(tx, key, { ...notification, failures });
    return { againAt: now + wait };
  };
}
