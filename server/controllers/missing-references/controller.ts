// Renews the statuses that name missing references: of an object that changed, and of the objects that name one that was created or deleted.
// Run by the leader. Each status is a transaction of its own, because thousands of objects may name the same one.
import { setImmediate } from 'node:timers/promises';
import { jsonEquals } from '@svc/shared/json';
import { kinds } from '@svc/shared/kinds';
import { describeKey, type ResourceKey, type NamespacedName } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import { missableReferences, REFERRING_KINDS, reportedMissing, withMissing, type IsProvided } from '../../registry/missing-references.ts';
import { replaceStatus } from '../../registry/own-writes.ts';
import { partName } from '../../registry/principal.ts';
import { eachObject } from '../../store/each-object.ts';
import type { Claim, StoredObject } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Loop } from '../runtime/loop.ts';
import { createReconciler, type Reconciler, type ReconcilerOptions } from '../runtime/reconciler.ts';

export interface MissingReferencesOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  /** The leader's: nothing is written once it has been taken over. */
  readonly claim: Claim;
  readonly isProvided: IsProvided;
}

export interface MissingReferences extends Loop {
  /** Renews what the changes up to now concern. */
  runOnce(): Promise<void>;
}

/** Objects of one kind that are examined at once. */
const CONCURRENCY = 2;
/** Objects that are listed before other work of the process has a turn. */
const STRETCH = 100;

/** A transaction of PostgreSQL has ended by then: it may have begun before another one, and not have seen its writes. */
const TRANSACTIONS_END_MS = 10_000;
/** Keys that are remembered; beyond them every creation is examined. */
const KEYS_MAX = 50_000;

const textOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;

export function createMissingReferences(options: MissingReferencesOptions): MissingReferences {
  const reconcilers = new Map<string, Reconciler>();
  const addReferrers = async (key: ResourceKey, signal: AbortSignal): Promise<void> => {
    let listed = 0;
    for (const kind of REFERRING_KINDS.get(key.kind) ?? [])
      for await (const referrer of eachObject(options.store, { kind, references: key })) {
        reconcilers.get(kind)?.add(referrer);
        listed += 1;
        if (listed % STRETCH > 0) continue;
        await setImmediate();
        signal.throwIfAborted();
      }
  };
  const followed = kinds.filter(({ kind, namesMissing }) => namesMissing || (REFERRING_KINDS.get(kind) ?? []).length > 0);
  const keys = new MissingKeys(options.clock);
  for (const { kind, namesMissing } of followed) {
    /** Objects that were created or deleted. A list shows none: at the start of a term every object that refers to others is examined. */
    const createdOrDeleted = new Set<string>();
    const deleted = new Set<string>();
    const reconciler = createReconciler({
      ...options,
      name: 'missing-references',
      kind,
      concurrency: CONCURRENCY,
      // The log has every change, and a list of everything is read once a term.
      resyncMs: Infinity,
      isDue(change) {
        if (change.type === 'deleted') deleted.add(textOf(change));
        const isMoved = change.type === 'deleted' || (change.type === 'created' && keys.noteCreated(change));
        if (isMoved) createdOrDeleted.add(textOf(change));
        return isMoved || change.object === undefined || keys.noteMissed(change.object);
      },
      async reconcile(key, signal) {
        // Reads of SQLite take no turn of the event loop.
        await setImmediate();
        if (namesMissing) await renew(options, { kind, ...key }, keys);
        if (!createdOrDeleted.delete(textOf(key))) return undefined;
        await addReferrers({ kind, ...key }, signal).catch((error: unknown) => {
          createdOrDeleted.add(textOf(key));
          throw error;
        });
        // An object may name the deleted one in a transaction that began earlier and ends later.
        if (!deleted.delete(textOf(key))) return undefined;
        createdOrDeleted.add(textOf(key));
        return { requeueAfterMs: TRANSACTIONS_END_MS };
      },
    });
    reconcilers.set(kind, reconciler);
  }
  const all = [...reconcilers.values()];
  return {
    start: () => all.forEach((reconciler) => reconciler.start()),
    async stop() {
      await Promise.all(all.map((reconciler) => reconciler.stop()));
    },
    async runOnce() {
      for (const reconciler of all) await reconciler.runOnce();
      for (const reconciler of all) await reconciler.drain();
    },
  };
}

/**
 * Keys of missing objects, and of recently created ones: in memory, so that a change needs no read. An object and its missing reference may be
 * in the log in either order; the later one finds the other here.
 */
class MissingKeys {
  readonly #missed = new Set<string>();
  readonly #recent = new Set<string>();
  readonly #clock: Clock;
  readonly #since: number;
  #isFull = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Notes a created object. True when objects may miss it. */
  noteCreated(key: ResourceKey): boolean {
    const text = describeKey(key);
    this.#recent.add(text);
    for (const oldest of this.#recent) {
      if (this.#recent.size <= KEYS_MAX) break;
      this.#recent.delete(oldest);
    }
    return this.#missed.delete(text) || this.#isFull;
  }

  /** Notes what the status of an object says is missing. True when that may have been created. */
  noteMissed(object: StoredObject): boolean {
    if (reportedMissing(object) === undefined) return false;
    const missed = missableReferences(object).map(describeKey);
    this.#isFull ||= this.#missed.size + missed.length > KEYS_MAX;
    if (!this.#isFull) for (const text of missed) this.#missed.add(text);
    // Earlier creations are unknown.
    return this.#clock.now() - this.#since < TRANSACTIONS_END_MS || missed.some((text) => this.#recent.has(text));
  }
}

async function renew({ store, clock, claim, isProvided }: MissingReferencesOptions, key: ResourceKey, keys: MissingKeys): Promise<void> {
  const seen = await store.getObject(key);
  if (!seen) return;
  const expected = await withMissing(store, seen, { isProvided });
  keys.noteMissed({ ...seen, status: expected });
  if (jsonEquals(expected, seen.status)) return;
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    const object = await tx.getObjectForUpdate(key);
    if (!object) return;
    const status = await withMissing(tx, object, { isProvided });
    if (!jsonEquals(status, object.status)) await replaceStatus(tx, object, { status, now: clock.now(), by: partName('controllers') });
  });
}
