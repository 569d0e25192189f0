// Webhooks by endpoint, with their secret: kept until a webhook or a Secret changes, so that a flood of bad signatures costs no reads.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import type { SecretResolver } from '../../secrets/ports.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { webhookEndpoints } from './records.ts';
import { TARGETS_CHANGED, WEBHOOK } from './webhook-hooks.ts';

export interface Target {
  readonly webhook: StoredObject;
  readonly spec: TaskWebhookSpec;
  /** Undefined with a `problem`. */
  readonly secret: string | undefined;
  /** Why the secret cannot be used, for the owner of the webhook. */
  readonly problem: string | undefined;
}

export interface Targets {
  find(endpointId: string): Promise<Target | undefined>;
  forget(endpointId: string): void;
  close(): void;
}

const TARGETS_MAX = 1_000;
/** A commit of another process whose notice was lost is seen after this time. */
const KEPT_MS = 1_000;
const ENDPOINT = /^[0-9a-f]{32}$/;

export function createTargets({
  store,
  secrets,
}: {
  readonly store: Store;
  readonly secrets: Pick<SecretResolver, 'resolveValue'>;
}): Targets {
  const kept = new LRUCache<string, Target>({ max: TARGETS_MAX, ttl: KEPT_MS });
  /** Reads at work, so that deliveries at once share one. Those that began before a change are not kept. */
  const reading = new Map<string, Promise<Target | undefined>>();
  const unsubscribe = store.onCommit(({ events }) => {
    if (!events.has(TARGETS_CHANGED)) return;
    kept.clear();
    reading.clear();
  });
  const read = async (endpointId: string): Promise<Target | undefined> => {
    const ref = await webhookEndpoints.get(store, endpointId);
    const webhook = ref && (await store.getObject({ kind: WEBHOOK, namespace: ref.namespace, name: ref.name }));
    if (!webhook || webhook.uid !== ref.uid) return undefined;
    const spec = specOf(WEBHOOK, webhook);
    const secret = await secrets.resolveValue(spec.auth.secret_ref, webhook.namespace).catch(problemOf);
    return {
      webhook,
      spec,
      ...(typeof secret === 'string' ? { secret, problem: undefined } : { secret: undefined, problem: secret.problem }),
    };
  };
  const readShared = (endpointId: string): Promise<Target | undefined> => {
    const target = read(endpointId)
      .then((found) => {
        if (reading.get(endpointId) === target && found) kept.set(endpointId, found);
        return found;
      })
      .finally(() => {
        if (reading.get(endpointId) === target) reading.delete(endpointId);
      });
    reading.set(endpointId, target);
    return target;
  };
  return {
    async find(endpointId) {
      if (!ENDPOINT.test(endpointId)) return undefined;
      return kept.get(endpointId) ?? reading.get(endpointId) ?? readShared(endpointId);
    },
    forget(endpointId) {
      kept.delete(endpointId);
      reading.delete(endpointId);
    },
    close: unsubscribe,
  };
}

/** A Secret that is missing or of no use. One that cannot be read now, because the database does not answer, refuses no signature. */
function problemOf(error: unknown): { readonly problem: string } {
  if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'invalid')) return { problem: error.message };
  throw error;
}
