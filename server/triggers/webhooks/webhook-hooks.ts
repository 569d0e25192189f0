// Webhooks on the write path, and their status: endpoint, phase, counters. Exact, and written at most once for many deliveries.
import { randomBytes } from 'node:crypto';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { parseRef, type Resource, type ObjectRef } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import { updateStatus } from '../../registry/own-writes.ts';
import { partName } from '../../registry/principal.ts';
import type { KindHooks } from '../../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction, WorkItem } from '../../store/store.ts';
import { readTemplate } from '../create-run.ts';
import { deleteRecords, putEndpoint, webhookStates, requestStatus, WEBHOOK_STATUS_QUEUE, type WebhookState } from './records.ts';

export const WEBHOOK = 'TaskWebhook';
const ENDPOINT_BYTES = 16;
/** Delay of the status after a write: a client can continue with the version in its answer. */
const SETTLE_MS = 300;
/** Why a Secret reference leads to no value, in one sentence; undefined when it leads to one. Opens nothing. */
export type SecretLookup = (ref: string, namespace: string, reader: Pick<StoreReader, 'getObject'>) => Promise<string | undefined>;

const endpointPath = (endpoint: string): string => `/v1/webhook-deliveries/${endpoint}`;

/** Name in the `events` of a commit that changed a webhook or a Secret: targets that are kept in memory are read again. */
export const TARGETS_CHANGED = 'webhook.targets';

const noteChange = async (tx: StoreTransaction): Promise<void> => tx.wakeReaders(TARGETS_CHANGED);

const refOf = ({ metadata: { namespace, name, uid } }: Resource): ObjectRef => ({ namespace, name, uid });

/** Hooks of TaskWebhook, and of the Secrets that verify its deliveries. */
export function createWebhookHooks(clock: Clock): (readonly [kind: string, hooks: KindHooks])[] {
  const webhooks: KindHooks = {
    writtenStatus(_spec, previous) {
      if (previous) return {};
      const endpointID = randomBytes(ENDPOINT_BYTES).toString('hex');
      return { endpointID, endpointPath: endpointPath(endpointID) };
    },
    async onCreated(tx, webhook) {
      await noteChange(tx);
      await putEndpoint(tx, refOf(webhook), statusOf(WEBHOOK, webhook).endpointID ?? '');
      await requestStatus(tx, refOf(webhook), clock.now() + SETTLE_MS);
    },
    async onUpdated(tx, webhook, { previous }) {
      if (webhook.metadata.generation === previous.metadata.generation) return;
      await noteChange(tx);
      await requestStatus(tx, refOf(webhook), clock.now() + SETTLE_MS);
    },
    async onDeleted(tx, webhook) {
      await noteChange(tx);
      await deleteRecords(tx, webhook.metadata.uid);
      await tx.dropWork(WEBHOOK_STATUS_QUEUE, webhook.metadata.uid);
    },
  };
  const secrets: KindHooks = { onCreated: noteChange, onUpdated: noteChange, onDeleted: noteChange };
  return [
    [WEBHOOK, webhooks],
    ['Secret', secrets],
  ];
}

export interface WebhookStatusDeps {
  readonly clock: Clock;
  readonly lookUpSecret: SecretLookup;
}

/** Handler of WEBHOOK_STATUS_QUEUE. */
export async function writeWebhookStatus(deps: WebhookStatusDeps, tx: StoreTransaction, item: WorkItem): Promise<undefined> {
  const key = { kind: WEBHOOK, namespace: item.namespace, name: item.name };
  const webhook = await tx.getObjectForUpdate(key);
  const state = webhook?.uid === item.key ? await webhookStates.get(tx, item.key) : undefined;
  if (!webhook || !state) return undefined;
  const problem = await problemOf(deps, tx, webhook);
  const change = () => ({ ...statusFields(state, problem), phase: phaseOf(webhook, problem), observedGeneration: webhook.generation });
  await updateStatus(tx, { key, uid: item.key, clock: deps.clock, by: partName('triggers'), change });
  return undefined;
}

function statusFields(
  { error, endpoint, accepted, duplicate, rejected, noted: _noted, ...last }: WebhookState,
  problem: string | undefined,
) {
  const lastError = problem ?? error;
  return {
    endpointID: endpoint,
    endpointPath: endpointPath(endpoint),
    acceptedCount: accepted,
    duplicateCount: duplicate,
    rejectedCount: rejected,
    ...last,
    ...(lastError !== undefined && { lastError }),
  };
}

function phaseOf(webhook: StoredObject, problem: string | undefined): string {
  if (specOf(WEBHOOK, webhook).suspend === true) return 'Suspended';
  return problem === undefined ? 'Ready' : 'Error';
}

async function problemOf({ lookUpSecret }: WebhookStatusDeps, tx: StoreTransaction, webhook: StoredObject): Promise<string | undefined> {
  const { task_ref: taskRef, auth } = specOf(WEBHOOK, webhook);
  const template = await readTemplate(tx, taskRef, webhook.namespace);
  if (typeof template === 'string') return template;
  const { namespace, name } = parseRef(auth.secret_ref, webhook.namespace);
  return lookUpSecret(`${namespace}/${name}`, webhook.namespace, tx);
}
