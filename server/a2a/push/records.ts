// Push notification configurations of tasks, and the notifications that wait for delivery, as documents. Tokens and credentials are sealed.
import { sealedKeyId, type SecretBox } from '../../secrets/secret-box.ts';
import type { SealedPart } from '../../secrets/sealed-part.ts';
import { lockSealingKey } from '../../secrets/store-key.ts';
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

const CONFIGS = 'a2a-push';
const WAITING = 'a2a-push-queue';
export const PUSH_QUEUE = 'a2a.push';
export const CONFIGS_MAX = 10;
/** Waiting notifications of one configuration; a task has fewer changes. */
const WAITING_MAX = 1_000;

const configKey = (record: TaskRecord, id: string): string => `${keyOf(record.run)}/${digest([id])}`;
const identityOf = (key: string) => ({ namespace: CONFIGS, name: key, key: 'secrets' });

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
  const known = (await tx.getDocument(CONFIGS, key)) as StoredConfig | undefined;
  const { id, url, scheme, token, credentials } = config;
  const secrets = JSON.stringify({ token, credentials });
  const sealed = secrets === '{}' ? undefined : box.seal(identityOf(key), base64(secrets), await lockSealingKey(tx, box));
  const stored: StoredConfig = {
    ...{ id, url, dialect, next: known?.next ?? 1 },
    ...(scheme !== undefined && { scheme }),
    ...(sealed !== undefined && { sealed }),
    ...(known?.last !== undefined && { last: known.last }),
  };
  await tx.putDocument(CONFIGS, key, { ...stored });
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Throws `unavailable` when this process lacks the key. */
function opened(box: SecretBox, key: string, { id, url, scheme, sealed, dialect }: StoredConfig): KeptConfig {
  const text = sealed === undefined ? '{}' : Buffer.from(box.open(identityOf(key), sealed), 'base64').toString('utf8');
  const secrets = JSON.parse(text) as Pick<PushConfig, 'token' | 'credentials'>;
  return { config: { id, url, ...(scheme !== undefined && { scheme }), ...secrets }, dialect };
}

async function storedConfigs(reader: StoreReader, record: TaskRecord): Promise<{ id: string; document: StoredConfig }[]> {
  const prefix = `${keyOf(record.run)}/`;
  const documents = await reader.listDocuments(CONFIGS, prefix, CONFIGS_MAX);
  return documents.filter(({ id }) => id.startsWith(prefix)) as unknown as { id: string; document: StoredConfig }[];
}

export async function listConfigs(reader: StoreReader, box: SecretBox, record: TaskRecord): Promise<PushConfig[]> {
  return (await storedConfigs(reader, record)).map(({ id, document }) => opened(box, id, document).config);
}

/** False when there is none of this id. */
export async function deleteConfig(tx: StoreTransaction, record: TaskRecord, id: string): Promise<boolean> {
  const key = configKey(record, id);
  await dropWaiting(tx, key);
  return tx.deleteDocument(CONFIGS, key);
}

export async function deleteConfigsOf(tx: StoreTransaction, record: TaskRecord): Promise<void> {
  for (const { id } of await storedConfigs(tx, record)) {
    await dropWaiting(tx, id);
    await tx.deleteDocument(CONFIGS, id);
  }
}

/** Whether a notification of the task is not delivered yet. */
export async function hasWaiting(reader: StoreReader, record: TaskRecord): Promise<boolean> {
  const prefix = `${keyOf(record.run)}/`;
  return (await reader.listDocuments(WAITING, prefix, 1)).some(({ id }) => id.startsWith(prefix));
}

/** Work items whose notification is gone end by themselves. */
async function dropWaiting(tx: StoreTransaction, key: string): Promise<void> {
  const prefix = `${key}/`;
  for (const { id } of await tx.listDocuments(WAITING, prefix, WAITING_MAX))
    if (id.startsWith(prefix)) await tx.deleteDocument(WAITING, id);
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
    await tx.putDocument(WAITING, key, { ...waiting });
    await tx.putDocument(CONFIGS, id, { ...document, next: next + 1, last: state });
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

const firstOf = async (reader: StoreReader, key: string): Promise<string | undefined> => {
  const prefix = key.slice(0, key.lastIndexOf('/') + 1);
  return (await reader.listDocuments(WAITING, prefix, 1)).find(({ id }) => id.startsWith(prefix))?.id;
};

/** Undefined when it is gone. Throws `unavailable` when this process lacks the key of its secrets. */
export async function readNotification(reader: StoreReader, box: SecretBox, key: string): Promise<WaitingNotification | undefined> {
  const document = await reader.getDocument(WAITING, key);
  if (!document) return undefined;
  const first = await firstOf(reader, key);
  const configId = key.slice(0, key.lastIndexOf('/'));
  const config = (await reader.getDocument(CONFIGS, configId)) as StoredConfig | undefined;
  return {
    key,
    recordKey: configId.slice(0, configId.lastIndexOf('/')),
    notification: document as unknown as Notification,
    behind: first === key ? undefined : first,
    to: config && opened(box, configId, config),
  };
}

/** Removes a notification; returns the key of the one behind it. */
export async function endNotification(tx: StoreTransaction, key: string): Promise<string | undefined> {
  await tx.deleteDocument(WAITING, key);
  return firstOf(tx, key);
}

export const putNotification = (tx: StoreTransaction, key: string, notification: Notification): Promise<void> =>
  tx.putDocument(WAITING, key, { ...notification });

// ---------------------------------------------------------------- keys

const PAGE = 200;

async function* sealedConfigs(
  reader: StoreReader,
): AsyncGenerator<{ readonly id: string; readonly document: StoredConfig; readonly sealed: string }> {
  for (let after = ''; ;) {
    const page = (await reader.listDocuments(CONFIGS, after, PAGE)) as unknown as { id: string; document: StoredConfig }[];
    for (const { id, document } of page) if (document.sealed !== undefined) yield { id, document, sealed: document.sealed };
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? '';
  }
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
        await tx.putDocument(CONFIGS, id, { ...document, sealed: box.seal(identityOf(id), value, keyId) });
      }
      return {};
    },
  };
}
