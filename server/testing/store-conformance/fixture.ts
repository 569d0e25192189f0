// Shared parts of the store conformance suite: the store under test and factories.
import { wordsOf } from '@svc/shared/search-text';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../clock.ts';
import type {
  Claim,
  ClaimQuery,
  IndexFunctions,
  NewWorkItem,
  ReferencesOf,
  SortValuesOf,
  Store,
  StoredObject,
  StoreTransaction,
  TextIndex,
} from '../../store/store.ts';

export interface Opened {
  readonly store: Store;
  /** Closes the store and opens the same data again, with another index when one is given. */
  readonly reopen: (index?: IndexFunctions) => Promise<Store>;
  /** Closes the store and removes its data. */
  readonly cleanup: () => Promise<void>;
}

/** Opens an empty store on the clock and with the index of the suite. */
export type OpenStore = (clock: Clock, index: IndexFunctions) => Promise<Opened>;

/** Objects of the suite refer to Secrets of their namespace by `spec.secrets`. */
const suiteReferences: ReferencesOf = ({ namespace, spec }) =>
  ((spec['secrets'] ?? []) as string[]).map((name) => ({ kind: 'Secret', namespace, name }));

/** Tasks of the suite have the sort values of `spec.sortValues`, none while it is empty. */
export const suiteSortValues: SortValuesOf = ({ kind, spec }) =>
  kind === 'Task' ? ((spec['sortValues'] ?? {}) as Record<string, string>) : undefined;

/** Searches read `spec.text`. */
const suiteTexts: TextIndex = {
  versionOf: ({ spec }) => spec['text'] as string | undefined,
  wordsOf: ({ spec }) => wordsOf((spec['text'] ?? '') as string),
};

export const suiteIndex: IndexFunctions = { referencesOf: suiteReferences, sortValuesOf: suiteSortValues, texts: suiteTexts };

/** The store of the running test. */
export interface Subject {
  readonly store: Store;
  reopen(index?: IndexFunctions): Promise<Store>;
}

export const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');

/** Clock that stays at the epoch: each call of the suite passes its own times. */
export const suiteClock: Clock = { ...systemClock, now: () => EPOCH };

/** A timestamp `seconds` after the suite's epoch. */
export function at(seconds: number): string {
  return new Date(EPOCH + seconds * 1000).toISOString();
}

export function makeObject(overrides: Partial<StoredObject> = {}): StoredObject {
  const name = overrides.name ?? 'alpha';
  return {
    kind: 'Task',
    namespace: 'default',
    name,
    uid: `uid-${overrides.namespace ?? 'default'}-${name}`,
    resourceVersion: 1,
    generation: 1,
    labels: {},
    annotations: {},
    createdAt: at(0),
    updatedAt: overrides.createdAt ?? at(0),
    spec: { system: 'pipeline' },
    status: { phase: 'Pending' },
    ...overrides,
  };
}

/** The next version of an object. */
export function nextVersion(object: StoredObject, changes: Partial<StoredObject> = {}): StoredObject {
  return { ...object, resourceVersion: object.resourceVersion + 1, updatedAt: at(1), ...changes };
}

export function makeItem(overrides: Partial<NewWorkItem> = {}): NewWorkItem {
  const key = overrides.key ?? 'uid-1';
  return { queue: 'task', key, namespace: 'default', name: `task-${key}`, rank: 1, notBefore: EPOCH, requirements: {}, ...overrides };
}

export function makeClaimQuery(overrides: Partial<ClaimQuery> = {}): ClaimQuery {
  return {
    queue: 'task',
    owner: 'worker-1',
    now: EPOCH,
    leaseMs: 30_000,
    limit: 10,
    capabilities: { gpu: false, supportedModels: [], secrets: true },
    ...overrides,
  };
}

/** More in one transaction could reach its time limit on a busy machine. */
const PART = 250;

/** Writes items in order, PART of them in each transaction. */
export async function writeInParts<T>(
  store: Store,
  items: readonly T[],
  write: (tx: StoreTransaction, item: T) => Promise<unknown>,
): Promise<void> {
  for (let first = 0; first < items.length; first += PART)
    await store.transaction(async (tx) => {
      // Sent together: each round trip is a turn of two processes.
      await Promise.all(items.slice(first, first + PART).map((item) => write(tx, item)));
    });
}

/** Inserts objects, in parts. */
export function seed(store: Store, objects: readonly StoredObject[]): Promise<void> {
  return writeInParts(store, objects, (tx, object) => tx.insertObject(object));
}

export function claimWork(store: Store, overrides: Partial<ClaimQuery> = {}): Promise<Claim[]> {
  return store.transaction((tx) => tx.claimWork(makeClaimQuery(overrides)));
}

/** Enqueues one item and claims it. */
export async function claimNew(store: Store, item: Partial<NewWorkItem> = {}, query: Partial<ClaimQuery> = {}): Promise<Claim> {
  const [claim] = await store.transaction(async (tx) => {
    await tx.enqueueWork(makeItem(item));
    return tx.claimWork(makeClaimQuery(query));
  });
  if (!claim) throw new Error('the new item was not claimable');
  return claim;
}
