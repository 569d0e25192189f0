// Push notification configurations of tasks, and the notifications that wait for delivery, as documents. Tokens and credentials are sealed.
import { randomInt } from 'node:crypto';
import { sealedKeyId, type SecretBox } from '../../secrets/secret-box.ts';
import type { SealedPart } from '../../secrets/sealed-part.ts';
import { lockSealingKey } from '../../secrets/store-key.ts';
import { Collection, type Row } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { isTerminal, type AgentTask, type Dialect, type Message, type TaskState } from '../model.ts';
import { digest, keyOf, type TaskRecord } from '../tasks/records.ts';

/** A configuration as its client gives it. */
export interface PushConfig {
  readonly id: string;
  readonly url: string;
  readonly token?: string;
  /** Scheme and credentials of the header Authorization. */
  readonly scheme?: string;
  readonly credentials?: string;
}

interface StoredConfig {
  readonly id: string;
  readonly url: string;
  readonly scheme?: string;
  /** Token and credentials, in the form of the secret box. */
  readonly sealed?: string;
  /** Decides the form of the notifications. */
  readonly dialect: Dialect;
  /** Number of the next notification. */
  readonly next: number;
  /** Last state that a notification was made for. */
  readonly last?: TaskState;
}

/** A change of the task, as it was when it happened. */
export interface Notification {
  readonly state: TaskState;
  readonly timestamp: string;
  readonly message?: Message;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly failures: number;
}

const CONFIG_COLLECTION = 'a2a-push';
const CONFIGS = new Collection<StoredConfig>(CONFIG_COLLECTION);
const WAITING = new Collection<Notification>('a2a-push-queue');
export const PUSH_QUEUE = 'a2a.push';
export const CONFIGS_MAX = 10;
/** Waiting notifications of one configuration; a task has fewer changes. */
const WAITING_MAX = 1_000;
/** Number of the first notification: another one each time, as that of a former configuration of the id may be on its way. */
const firstNumber = (): number => randomInt(100_000_000_000, 200_000_000_000);

const configKey = (record: TaskRecord, id: string): string => `${keyOf(record.run)}/${digest([id])}`;
const identityOf = (key: string) => ({ namespace: CONFIG_COLLECTION, name: key, key: 'secrets' });

// ---------------------------------------------------------------- configurations

export interface KeptConfig {
  readonly config: PushConfig;
  readonly dialect: Dialect;
}

interface Keeping extends KeptConfig {
  readonly record: TaskRecord;
}

/** Adds a configuration or replaces the one of its id. */
export async function putConfig(tx: StoreTransaction, box: SecretBox, { record, config, dialect }: Keeping): Promise<void> {
  const key = configKey(record, config.id);
  const known = await CONFIGS.get(tx, key);
  const { id, url, scheme, token, credentials } = config;
  const secrets = JSON.stringify({ token, credentials });
  const sealed = secrets === '{}' ? undefined : box.seal(identityOf(key), base64(secrets), await lockSealingKey(tx, box));
  await CONFIGS.put(tx, key, {
    ...{ id, url, dialect, next: known?.next ?? firstNumber() },
    ...(scheme !== undefined && { scheme }),
    ...(sealed !== undefined && { sealed }),
    ...(known?.last !== undefined && { last: known.last }),
  });
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Throws `unavailable` when this process lacks the key. */
function opened(box: SecretBox, key: string, { id, url, scheme, sealed, dialect }: StoredConfig): KeptConfig {
  const text = sealed === undefined ? '{}' : Buffer.from(box.open(identityOf(key), sealed), 'base64').toString('utf8');
  const secrets = JSON.parse(text) as Pick<PushConfig, 'token' | 'credentials'>;
  return { config: { id, url, ...(scheme !== undefined && { scheme }), ...secrets }, dialect };
}

const storedConfigs = (reader: StoreReader, record: TaskRecord): Promise<Row<StoredConfig>[]> =>
  CONFIGS.listUnder(reader, `${keyOf(record.run)}/`, { limit: CONFIGS_MAX });

export async function listConfigs(reader: StoreReader, box: SecretBox, record: TaskRecord): Promise<PushConfig[]> {
  return (await storedConfigs(reader, record)).map(({ id, document }) => opened(box, id, document).config);
}

/** False when there is none of this id. */
export async function deleteConfig(tx: StoreTransaction, record: TaskRecord, id: string): Promise<boolean> {
  const key = configKey(record, id);
  await dropWaiting(tx, key);
  return CONFIGS.remove(tx, key);
}

export async function deleteConfigsOf(tx: StoreTransaction, record: TaskRecord): Promise<void> {
  for (const { id } of await storedConfigs(tx, record)) {
    await dropWaiting(tx, id);
    await CONFIGS.remove(tx, id);
  }
}

/** Whether a notification of the task is not delivered yet. */
export async function hasWaiting(reader: StoreReader, record: TaskRecord): Promise<boolean> {
  return (await WAITING.listUnder(reader, `${keyOf(record.run)}/`, { limit: 1 })).length > 0;
}

/** Work items whose notification is gone end by themselves. */
async function dropWaiting(tx: StoreTransaction, key: string): Promise<void> {
  for (const { id } of await WAITING.listUnder(tx, `${key}/`, { limit: WAITING_MAX })) await WAITING.remove(tx, id);
}

// ---------------------------------------------------------------- notifications

/** Makes a notification of the task as it now is for each of its configurations. */
export async function addNotifications(
  tx: StoreTransaction,
  record: TaskRecord,
  { task, now }: { task: AgentTask; now: number },
): Promise<void> {
  for (const { id, document } of await storedConfigs(tx, record)) {
    const { last, next } = document;
    if (last !== undefined && isTerminal(last)) continue;
    const { state, timestamp, message } = task;
    const waiting: Notification = { state, timestamp, ...(message && { message }), createdAt: now, failures: 0 };
    const key = `${id}/${String(next).padStart(6, '0')}`;
    await WAITING.put(tx, key, waiting);
    await CONFIGS.put(tx, id, { ...document, next: next + 1, last: state });
    const { namespace, name } = record.system;
    await tx.enqueueWork({ queue: PUSH_QUEUE, key, namespace, name, rank: now, notBefore: 0, requirements: {} });
  }
}

export interface WaitingNotification {
  readonly key: string;
  /** Key of the record of its task. */
  readonly recordKey: string;
  readonly notification: Notification;
  /** The notification before it that has not been delivered. */
  readonly behind: string | undefined;
  readonly to: KeptConfig | undefined;
}

const firstOf = async (reader: StoreReader, key: string): Promise<string | undefined> =>
  (await WAITING.listUnder(reader, key.slice(0, key.lastIndexOf('/') + 1), { limit: 1 }))[0]?.id;

/** Undefined when it is gone. Throws `unavailable` when this process lacks the key of its secrets. */
export async function readNotification(reader: StoreReader, box: SecretBox, key: string): Promise<WaitingNotification | undefined> {
  const notification = await WAITING.get(reader, key);
  if (!notification) return undefined;
  const first = await firstOf(reader, key);
  const configId = key.slice(0, key.lastIndexOf('/'));
  const config = await CONFIGS.get(reader, configId);
  return {
    key,
    recordKey: configId.slice(0, configId.lastIndexOf('/')),
    notification,
    behind: first === key ? undefined : first,
    to: config && opened(box, configId, config),
  };
}

/** Has the first waiting notification of a configuration delivered as a new one. Returns its key. */
export async function restartFirst(tx: StoreTransaction, record: TaskRecord, id: string): Promise<string | undefined> {
  const key = await firstOf(tx, `${configKey(record, id)}/`);
  const notification = key === undefined ? undefined : await WAITING.get(tx, key);
  if (key === undefined || !notification) return undefined;
  await WAITING.put(tx, key, { ...notification, failures: 0 });
  return key;
}

/** Removes a notification; returns the key of the one behind it. */
export async function endNotification(tx: StoreTransaction, key: string): Promise<string | undefined> {
  await WAITING.remove(tx, key);
  return firstOf(tx, key);
}

export const replaceNotification = (tx: StoreTransaction, key: string, notification: Notification): Promise<void> =>
  WAITING.put(tx, key, notification);

// ---------------------------------------------------------------- keys

const PAGE = 200;

async function* sealedConfigs(reader: StoreReader): AsyncGenerator<Row<StoredConfig> & { readonly sealed: string }> {
  for await (const { id, document } of CONFIGS.all(reader, PAGE))
    if (document.sealed !== undefined) yield { id, document, sealed: document.sealed };
}

/** Configurations as a sealed part of the store. One that no key opens stays as it is. */
export function storedPushConfigs(box: SecretBox): SealedPart {
  return {
    async sealedWith(reader) {
      for await (const { sealed } of sealedConfigs(reader)) {
        const keyId = sealedKeyId(sealed);
        if (keyId !== undefined) return keyId;
      }
      return undefined;
    },
    isAdoptable: () => Promise.resolve(true),
    async reseal(tx, { keyId }) {
      for await (const { id, document, sealed } of sealedConfigs(tx)) {
        const with_ = sealedKeyId(sealed);
        if (with_ === undefined ? box.keyId === undefined : !box.has(with_)) continue;
        const value = with_ === undefined ? sealed : box.open(identityOf(id), sealed);
        await CONFIGS.put(tx, id, { ...document, sealed: box.seal(identityOf(id), value, keyId) });
      }
      return {};
    },
  };
}
