// Webhooks by endpoint, with their secret: kept while nothing is committed, so that a flood of bad signatures costs no reads.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { TaskWebhookSpec } from '@svc/shared/kinds/task-webhook/rules';
import type { SecretResolver } from '../../secrets/ports.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { findEndpoint } from './records.ts';
import { WEBHOOK } from './webhook-hooks.ts';

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
  const unsubscribe = store.onCommit(() => kept.clear());
  const read = async (endpointId: string): Promise<Target | undefined> => {
    const ref = await findEndpoint(store, endpointId);
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
  return {
    async find(endpointId) {
      if (!ENDPOINT.test(endpointId)) return undefined;
      const known = kept.get(endpointId);
      if (known) return known;
      const target = await read(endpointId);
      if (target) kept.set(endpointId, target);
      return target;
    },
    forget: (endpointId) => void kept.delete(endpointId),
    close: unsubscribe,
  };
}

function problemOf(error: unknown): { readonly problem: string } {
  if (error instanceof ServiceError) return { problem: error.message };
  throw error;
}
