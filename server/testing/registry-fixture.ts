// A registry and a watch service over a fresh in-memory SQLite store, with short forms for requests.
import type { Clock } from '../clock.ts';
import { createRegistry } from '../registry/create-registry.ts';
import type { RegistryOptions } from '../registry/create-registry.ts';
import { objectIndex } from '../registry/reference-index.ts';
import type { Registry, RequestContext, Role, WriteResult } from '../registry/registry.ts';
import type { WatchService } from '../registry/watch/watch.ts';
import { createWatchService } from '../registry/watch/watch-service.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createManualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';

const SECRET_KEY = 'ab'.repeat(32);

export interface RegistryFixture {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly registry: Registry;
  readonly watches: WatchService;
  /** POST by an administrator to the body's namespace. */
  post(body: ResourceBody): Promise<WriteResult>;
}

export interface ResourceBody {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly namespace?: string };
  readonly spec?: unknown;
  readonly status?: unknown;
}

export function as(role: Role): RequestContext {
  return { identity: { method: 'bearer', name: `the-${role}`, role }, requestId: 'test' };
}

export function registryOver(store: Store, clock: Clock, overrides: Partial<RegistryOptions> = {}): Registry {
  let uids = 0;
  return createRegistry({
    store,
    clock,
    hooks: new Map(),
    secretBox: createSecretBox(SECRET_KEY),
    crdConflictPolicy: 'off',
    newUid: () => `uid-${++uids}`,
    kubernetesIsolation: false,
    versionsMax: 100,
    ...overrides,
  });
}

export async function setupRegistry(overrides: Partial<RegistryOptions> = {}): Promise<RegistryFixture> {
  const clock = createManualClock();
  const store = await openSqliteStore({ path: ':memory:', clock, ...objectIndex });
  const registry = registryOver(store, clock, overrides);
  const watches = createWatchService({
    store,
    clock,
    reportError: (error) => {
      throw error;
    },
  });
  return {
    store,
    clock,
    registry,
    watches,
    post: (body) => registry.post(as('admin'), { kind: body.kind, namespace: body.metadata.namespace ?? 'default', body }),
  };
}

/** Role bodies are the simplest valid resources: nothing in their spec is required. */
export function role(
  name: string,
  extra: { namespace?: string; labels?: Record<string, string>; description?: string } = {},
): ResourceBody {
  const { namespace, labels, description = 'first' } = extra;
  return {
    kind: 'AgentRole',
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    spec: { description, permissions: [] },
  };
}
