// Methods of push notification configurations, in the form of A2A 0.3 and of 1.0.
import { randomUUID } from 'node:crypto';
import { isObject } from '@svc/shared/json';
import { knownBlocked } from '../../egress/known-address.ts';
import { connectionError } from '../../egress/transport-errors.ts';
import type { Clock } from '../../clock.ts';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { Store, StoreReader, StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { transactAgain } from '../../store/write-race.ts';
import { isTerminal, type Dialect } from '../model.ts';
import type { PushMethods } from '../rpc/answer.ts';
import { RpcError } from '../rpc/errors.ts';
import { readId } from '../rpc/read-message.ts';
import type { WrittenJson } from '../rpc/write-task.ts';
import { keyOf, lockRun, putRecord, readRecord, type TaskRecord } from '../tasks/records.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { seeTask } from '../tasks/view.ts';
import {
  addNotifications,
  CONFIGS_MAX,
  deleteConfig,
  listConfigs,
  PUSH_QUEUE,
  putConfig,
  restartFirst,
  type PushConfig,
} from './records.ts';

export interface PushDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  /** `--a2a-allow-private-endpoints`. */
  readonly allowPrivate: boolean;
  /** Setting that permits private addresses, for errors. */
  readonly permittedBy: string;
}

/** Id of a configuration of A2A 0.3 without one; a2a-tck 0.3 reads it by this id. */
const DEFAULT_ID = 'default';
const URL_MAX = 2_048;
const SECRET_MAX = 4_096;
/** Values of headers: visible ASCII and spaces. */
const HEADER_VALUE = /^[\x20-\x7e]+$/;
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

const invalid = (message: string): RpcError => new RpcError('INVALID_PARAMS', message);

export function createPushMethods(deps: PushDeps, tasks: Pick<TaskService, 'find'>): PushMethods {
  const { store, secretBox } = deps;
  const found = async (record: TaskRecord, id: string | undefined): Promise<PushConfig> => {
    const configs = await listConfigs(store, secretBox, record);
    const config = id === undefined ? configs[0] : configs.find((each) => each.id === id);
    if (config) return config;
    throw new RpcError('TASK_NOT_FOUND', 'The task has no push notification configuration of this id', { task_id: record.id });
  };
  return {
    read(value, dialect) {
      const config = readConfig(value, dialect, deps);
      return {
        check: (reader, record) => refuseTooMany(reader, secretBox, { record, id: config.id }),
        write: (tx, record) => keepConfig(deps, tx, { record, config, dialect }),
      };
    },
    async call(operation, call, { params, method: { dialect } }) {
      const isV1 = dialect === 'v1';
      const taskId = readId(
        params['taskId'] ?? (isV1 ? undefined : params['id']),
        isV1 || operation === 'pushCreate' ? 'taskId' : 'id',
        dialect,
      );
      const record = await tasks.find(call, taskId);
      const configId = optionalText(isV1 ? params['id'] : params['pushNotificationConfigId'], 'the id of the configuration');
      switch (operation) {
        case 'pushCreate': {
          const config = readConfig(isV1 ? (params['config'] ?? params) : params['pushNotificationConfig'], dialect, deps);
          await transactAgain(store, (tx) => keepConfig(deps, tx, { record, config, dialect }));
          return written(config, record, dialect);
        }
        case 'pushGet':
          return written(await found(record, configId), record, dialect);
        case 'pushList': {
          const configs = (await listConfigs(store, secretBox, record)).map((config) => written(config, record, dialect));
          return isV1 ? { configs, nextPageToken: '' } : configs;
        }
        case 'pushDelete': {
          // In A2A 1.0 a deletion may be repeated.
          const id = isV1 && configId !== undefined ? configId : (await found(record, configId)).id;
          await transactAgain(store, (tx) => deleteConfig(tx, record, id));
          return null;
        }
      }
    },
  };
}

function optionalText(value: unknown, path: string): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : readId(value, path, 'v1');
}

/** A configuration in the form of either version. */
function readConfig(
  ...[value, dialect, { allowPrivate, permittedBy }]: [unknown, Dialect, Pick<PushDeps, 'allowPrivate' | 'permittedBy'>]
): PushConfig {
  if (!isObject(value)) throw invalid('The push notification configuration must be an object');
  const { url, token, authentication } = value;
  if (typeof url !== 'string' || url.length > URL_MAX || !URL.canParse(url))
    throw invalid(`url must be a URL of at most ${URL_MAX} characters`);
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid('url must be an http or https URL');
  if (username !== '' || password !== '') throw invalid('url must not hold credentials; put them into authentication');
  const blocked = knownBlocked(hostname.replace(/^\[|\]$/g, ''), allowPrivate);
  if (blocked) throw invalid(`url: ${connectionError(blocked, { target: hostname, permittedBy }).message}`);
  const auth = isObject(authentication) ? authentication : {};
  const [firstScheme] = Array.isArray(auth['schemes']) ? (auth['schemes'] as unknown[]) : [];
  const scheme = readSecret(auth['scheme'] ?? firstScheme, 'authentication.scheme');
  if (scheme !== undefined && !SCHEME.test(scheme)) throw invalid('authentication.scheme must be a scheme of HTTP, such as Bearer');
  const secrets = {
    token: readSecret(token, 'token'),
    credentials: readSecret(auth['credentials'], 'authentication.credentials'),
  };
  return {
    id: optionalText(value['id'], 'id') ?? (dialect === 'v1' ? randomUUID() : DEFAULT_ID),
    url,
    ...(scheme !== undefined && { scheme }),
    ...(secrets.token !== undefined && { token: secrets.token }),
    ...(secrets.credentials !== undefined && { credentials: secrets.credentials }),
  };
}

function readSecret(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.length <= SECRET_MAX && HEADER_VALUE.test(value)) return value;
  throw invalid(`${path} must be a string of at most ${SECRET_MAX} characters that a header can carry`);
}

/** Credentials are written only, as those of Secrets are. */
function written({ id, url, token, scheme }: PushConfig, record: TaskRecord, dialect: Dialect): WrittenJson {
  const common = { id, url, ...(token !== undefined && { token }) };
  if (dialect === 'v1') return { taskId: record.id, ...common, ...(scheme !== undefined && { authentication: { scheme } }) };
  return {
    taskId: record.id,
    pushNotificationConfig: { ...common, ...(scheme !== undefined && { authentication: { schemes: [scheme] } }) },
  };
}

interface Keeping {
  readonly record: TaskRecord;
  readonly config: PushConfig;
  readonly dialect: Dialect;
}

/** A task that has ended before its configuration came is notified of at once. */
async function keepConfig({ secretBox, clock }: PushDeps, tx: StoreTransaction, { record, config, dialect }: Keeping): Promise<void> {
  await lockRun(tx, record.run);
  const current = await readRecord(tx, keyOf(record.run));
  if (!current) throw new RpcError('TASK_NOT_FOUND', 'Task not found', { task_id: record.id });
  await refuseTooMany(tx, secretBox, { record: current, id: config.id });
  await putConfig(tx, secretBox, { record: current, config, dialect });
  const waiting = await restartFirst(tx, current, config.id);
  if (waiting !== undefined) await wakeItem(tx, { queue: PUSH_QUEUE, key: waiting }, clock.now());
  await putRecord(tx, { ...current, notifies: true });
  const seen = await seeTask(tx, current);
  if (seen && isTerminal(seen.task.state)) await addNotifications(tx, current, { task: seen.task, now: clock.now() });
}

async function refuseTooMany(
  reader: StoreReader,
  box: SecretBox,
  { record, id }: { readonly record: TaskRecord; readonly id: string },
): Promise<void> {
  const configs = await listConfigs(reader, box, record);
  if (configs.length < CONFIGS_MAX || configs.some((each) => each.id === id)) return;
  throw new RpcError('UNSUPPORTED_OPERATION', `A task has at most ${CONFIGS_MAX} push notification configurations; delete one`, {
    task_id: record.id,
  });
}
