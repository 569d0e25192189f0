// Deletes finished Tasks, or other finished objects, past their retention, on the leader, through the registry like any DELETE: the journal goes too, watches and events tell of it.
// It needs no fence: each deletion names the version that was judged, so a second leader at the same time deletes nothing else.
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../../clock.ts';
import { partIdentity } from '../../registry/principal.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store, StoredObject, StoreReader } from '../../store/store.ts';
import { createWakeUp } from '../../wake-up.ts';
import type { Loop } from '../runtime/loop.ts';
import { countFinished, finishedObjects, TASKS, type RetentionSubject } from './finished-objects.ts';
import { dueAt, limitsOf, type RetentionLimits, type TaskRetention } from './limits.ts';

/** Tasks that one walk over a namespace removed. */
export interface Removal {
  readonly namespace: string;
  readonly removed: number;
}

export interface RetentionOptions {
  readonly store: Store;
  readonly registry: Pick<Registry, 'remove'>;
  readonly clock: Clock;
  readonly retention: TaskRetention;
  /** Default: Tasks. */
  readonly subject?: RetentionSubject;
  /** Whether another part still needs the object. Default: none does. */
  readonly isNeeded?: (reader: StoreReader, object: StoredObject) => Promise<boolean>;
  /** Called once for each walk over a namespace that removed Tasks, also when it failed after that. */
  readonly onRemoved: (removal: Removal) => void;
  /** Called about failed rounds; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export interface RetentionLoop extends Loop {
  /** Removes what is due, of a large backlog a part; returns when to look again (ms). */
  runOnce(): Promise<number>;
}

const MINUTE_MS = 60_000;
/** Longest time that a Task which stays is not examined again, for annotations that change meanwhile. */
const LOOK_AGAIN_MS = 60 * MINUTE_MS;
/** Tasks above the count that one walk handles. */
const SURPLUS_MAX = 10_000;
/** Deletions in flight at once: few, so that other writers hardly wait. */
const AT_ONCE = 4;

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'retention' };

/** Stretch at the old end of a namespace in which every Task stays until a moment. */
interface Stay {
  readonly after: ListCursor | undefined;
  readonly tasks: number;
  readonly until: number;
}

export function createRetention(options: RetentionOptions): RetentionLoop {
  const { store, clock, retention, onRemoved, reportError } = options;
  let stays: ReadonlyMap<string, Stay> = new Map();

  const runOnce = async (stopped?: AbortSignal): Promise<number> => {
    let again = clock.now() + LOOK_AGAIN_MS;
    const found = new Map<string, Stay>();
    const namespaces = retention.general ? await store.listNamespaces() : [...retention.namespaces.keys()];
    for (const namespace of namespaces) {
      const limits = limitsOf(retention, namespace);
      if (stopped?.aborted || !limits) continue;
      const walk = new Walk(options, { namespace, limits, stay: stays.get(namespace) });
      const { next, stay } = await walk.run(stopped).finally(() => {
        if (walk.removed > 0) onRemoved({ namespace, removed: walk.removed });
      });
      found.set(namespace, stay);
      again = Math.min(again, next);
      await setImmediate();
    }
    stays = found;
    return again;
  };
  const pace = { pollMs: LOOK_AGAIN_MS, spacingMs: () => MINUTE_MS, retryMs: MINUTE_MS };
  const { start, stop } = createWakeUp({ clock, tick: runOnce, ...pace, onError: reportError });
  return { start, stop, runOnce: () => runOnce() };
}

interface Place {
  readonly namespace: string;
  readonly limits: RetentionLimits;
  readonly stay: Stay | undefined;
}

/** One walk over the finished Tasks of a namespace, from the oldest to the first that no limit reaches. */
class Walk {
  removed = 0;
  readonly #options: RetentionOptions;
  readonly #subject: RetentionSubject;
  readonly #place: Place;
  readonly #now: number;
  /** Earliest moment at which a Task that stays may go. */
  #until: number;
  #stayed = 0;

  constructor(options: RetentionOptions, place: Place) {
    this.#options = options;
    this.#subject = options.subject ?? TASKS;
    this.#place = place;
    this.#now = options.clock.now();
    // Tasks that end from now on are due no earlier, wherever in the order they are.
    this.#until = this.#now + Math.min(place.limits.ageMs ?? Infinity, LOOK_AGAIN_MS);
  }

  async run(stopped: AbortSignal | undefined): Promise<{ next: number; stay: Stay }> {
    const { store } = this.#options;
    const { namespace, limits } = this.#place;
    const { surplus, more } = await this.#surplus();
    const start = this.#resume(surplus);
    let { after } = start;
    let position = (this.#stayed = start.tasks);
    let reached: number | undefined;
    const batch: StoredObject[] = [];
    for await (const object of finishedObjects(store, { subject: this.#subject, namespace }, after)) {
      if (stopped?.aborted) break;
      const earliest = Date.parse(object.createdAt) + (limits.ageMs ?? Infinity);
      if (position >= surplus && earliest > this.#now) {
        reached = earliest;
        break;
      }
      const due = dueAt({ object, completedAt: this.#subject.completedAt(object) }, limits, position < surplus);
      position += 1;
      after = { namespace, name: object.name, createdAt: object.createdAt };
      if (due > this.#now) this.#keep(due);
      else if (batch.push(object) === AT_ONCE) await this.#removeAll(batch.splice(0));
    }
    if (!stopped?.aborted) await this.#removeAll(batch);
    const soon = limits.count === undefined ? Infinity : this.#now + MINUTE_MS;
    return {
      next: more ? this.#now : Math.min(this.#until, reached ?? Infinity, soon),
      stay: { after, tasks: this.#stayed, until: this.#until },
    };
  }

  /** How many of the oldest are more than the count that stays. */
  async #surplus(): Promise<{ surplus: number; more: boolean }> {
    const { namespace, limits, stay } = this.#place;
    if (limits.count === undefined) return { surplus: 0, more: false };
    const max = limits.count + (stay?.tasks ?? 0) + SURPLUS_MAX;
    const { count, more } = await countFinished(this.#options.store, { subject: this.#subject, namespace }, max);
    return { surplus: Math.max(0, count - limits.count), more };
  }

  /** Continues behind the Tasks that are known to stay, unless one of them may be deleted by now. */
  #resume(surplus: number): Pick<Stay, 'after' | 'tasks'> {
    const { stay } = this.#place;
    if (!stay || this.#now >= stay.until || surplus > stay.tasks) return { after: undefined, tasks: 0 };
    this.#until = Math.min(this.#until, stay.until);
    return stay;
  }

  #keep(until: number): void {
    this.#stayed += 1;
    this.#until = Math.min(this.#until, until);
  }

  async #removeAll(tasks: readonly StoredObject[]): Promise<void> {
    // All of them end before a failure is thrown: those that were removed are counted.
    const ends = await Promise.allSettled(tasks.map((task) => this.#remove(task)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Leaves a Task that was written since it was judged, that still waits for a decision, or that another part needs. */
  async #remove(task: StoredObject): Promise<void> {
    const { store, registry } = this.#options;
    const { kind, namespace, name, resourceVersion } = task;
    const { isNeeded } = this.#options;
    if ((await this.#subject.isNeeded(store, task)) || (await isNeeded?.(store, task))) return this.#keep(this.#now + MINUTE_MS);
    try {
      await registry.remove(CONTEXT, { kind, namespace, name, resourceVersion: String(resourceVersion) });
      this.removed += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'conflict') return this.#keep(this.#now + MINUTE_MS);
      if (error.code !== 'not_found') throw error;
    }
  }
}
