// Deletes finished Tasks, or other finished objects, past their retention, on the leader, through the registry like any DELETE: the journal goes too, watches and events tell of it.
// It needs no fence: each deletion names the version that was judged, so a second leader at the same time deletes nothing else.
import { setImmediate } from 'node:timers/promises';
import { isUnavailable, ServiceError } from '@svc/shared/errors';
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
  /** Called once for each walk over a namespace that removed Tasks, even when it failed after that. */
  readonly onRemoved: (removal: Removal) => void;
  /** Called about failed rounds, and about Tasks that could not be deleted; the next round tries again. */
  readonly reportError: (error: unknown) => void;
}

export interface RetentionLoop extends Loop {
  /** Removes expired Tasks, a large backlog in parts; returns the time of the next run (ms). */
  runOnce(): Promise<number>;
}

const MINUTE_MS = 60_000;
/** Longest time that a Task which stays is not examined again, for annotations that change meanwhile. */
const LOOK_AGAIN_MS = 60 * MINUTE_MS;
/** Tasks above the count that one walk handles. */
const SURPLUS_MAX = 10_000;
/** Tasks that are judged together. */
const JUDGED_AT_ONCE = 50;
/** Deletions in flight at once: few, so that other writers hardly wait. */
const AT_ONCE = 4;

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'retention' };

/** Stretch at the old end of a namespace in which every Task stays until a moment. */
interface Stay {
  readonly after: ListCursor | undefined;
  /** Number of objects before the cursor that stay although they exceed the count. */
  readonly surplus: number;
  readonly until: number;
}

export function createRetention(options: RetentionOptions): RetentionLoop {
  const { store, clock, retention, onRemoved, reportError } = options;
  let stays: ReadonlyMap<string, Stay> = new Map();

  const runOnce = async (stopped?: AbortSignal): Promise<number> => {
    // A namespace comes with its first object.
    let again = clock.now() + pauseOf(retention.general);
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

/** Time in which nothing that ends from now on exceeds a limit; at most that after which annotations are read again. */
function pauseOf({ ageMs = Infinity, count }: RetentionLimits = {}): number {
  return Math.min(ageMs, LOOK_AGAIN_MS, count === undefined ? Infinity : MINUTE_MS);
}

interface Place {
  readonly namespace: string;
  readonly limits: RetentionLimits;
  readonly stay: Stay | undefined;
}

async function take<T>(from: AsyncGenerator<T, void>, limit: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < limit) {
    const { value, done } = await from.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

function cursorOf(object: StoredObject | undefined): ListCursor | undefined {
  return object && { namespace: object.namespace, name: object.name, createdAt: object.createdAt };
}

interface JudgedObject {
  readonly object: StoredObject;
  /** More than the count that stays are newer. */
  readonly isSurplus: boolean;
  /** Earliest time of its deletion, ms. */
  readonly due: number;
  /** The walk ends before it: no limit reaches it, or what is newer, before this moment (ms). */
  readonly reach?: number;
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
  #surplusKept = 0;
  #hasFailed = false;

  constructor(options: RetentionOptions, place: Place) {
    this.#options = options;
    this.#subject = options.subject ?? TASKS;
    this.#place = place;
    this.#now = options.clock.now();
    // Tasks that end from now on are due no earlier, wherever in the order they are.
    this.#until = this.#now + Math.min(place.limits.ageMs ?? Infinity, LOOK_AGAIN_MS);
  }

  async run(stopped: AbortSignal | undefined): Promise<{ next: number; stay: Stay }> {
    const { limits, namespace } = this.#place;
    let after = await this.#resume();
    const objects = finishedObjects(this.#options.store, { subject: this.#subject, namespace }, after);
    let reached: number | undefined;
    let surplus = 0;
    while (reached === undefined && surplus < SURPLUS_MAX && !stopped?.aborted) {
      const page = await take(objects, JUDGED_AT_ONCE);
      if (page.length === 0) break;
      const surplusOfPage = await this.#surplusOf(page);
      const judged = page.map((object, index) => this.#judge(object, index < surplusOfPage));
      const end = judged.findIndex(({ reach }) => reach !== undefined);
      const passed = end < 0 ? judged : judged.slice(0, end);
      reached = judged[end]?.reach;
      surplus += surplusOfPage;
      after = cursorOf(passed.at(-1)?.object) ?? after;
      for (const { due, isSurplus } of passed) if (due > this.#now) this.#keep(due, isSurplus);
      await this.#removeAll(
        passed.filter(({ due }) => due <= this.#now),
        stopped,
      );
    }
    return {
      next: surplus >= SURPLUS_MAX ? this.#now : Math.min(this.#until, reached ?? Infinity, this.#now + pauseOf(limits)),
      stay: { after, surplus: this.#surplusKept, until: this.#until },
    };
  }

  #judge(object: StoredObject, isSurplus: boolean): JudgedObject {
    const { limits } = this.#place;
    const earliest = Date.parse(object.createdAt) + (limits.ageMs ?? Infinity);
    const due = dueAt({ object, completedAt: this.#subject.completedAt(object) }, limits, isSurplus);
    return { object, isSurplus, due, ...(!isSurplus && earliest > this.#now && { reach: earliest }) };
  }

  /**
   * How many of a page, from its oldest, are more than the count that stays. What is newer is counted after the page was read: others delete
   * and finish Tasks meanwhile.
   */
  async #surplusOf(page: readonly StoredObject[]): Promise<number> {
    const { namespace, limits } = this.#place;
    if (limits.count === undefined) return 0;
    const max = limits.count + SURPLUS_MAX;
    const newer = await countFinished(this.#options.store, { subject: this.#subject, namespace }, { max, after: page.at(-1) });
    return Math.min(page.length, Math.max(0, page.length + newer - limits.count));
  }

  /** Continues behind the Tasks that are known to stay, unless one of them may be deleted by now, or another before them is more than the count. */
  async #resume(): Promise<ListCursor | undefined> {
    const { namespace, limits, stay } = this.#place;
    if (!stay || this.#now >= stay.until) return undefined;
    if (limits.count !== undefined) {
      const max = limits.count + stay.surplus;
      const all = await countFinished(this.#options.store, { subject: this.#subject, namespace }, { max: max + SURPLUS_MAX });
      if (all > max) return undefined;
    }
    this.#until = Math.min(this.#until, stay.until);
    this.#surplusKept = stay.surplus;
    return stay.after;
  }

  #keep(until: number, isSurplus: boolean): void {
    if (isSurplus) this.#surplusKept += 1;
    this.#until = Math.min(this.#until, until);
  }

  async #removeAll(due: readonly JudgedObject[], stopped: AbortSignal | undefined): Promise<void> {
    for (let at = 0; at < due.length && !stopped?.aborted; at += AT_ONCE) {
      // All of them end before a failure is thrown: those that were removed are counted.
      const ends = await Promise.allSettled(due.slice(at, at + AT_ONCE).map((each) => this.#remove(each)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  /** Leaves a Task that was written since it was judged, that still waits for a decision, that another part needs, or that cannot be deleted. */
  async #remove({ object, isSurplus }: JudgedObject): Promise<void> {
    const { store, registry } = this.#options;
    const { kind, namespace, name, resourceVersion } = object;
    const { isNeeded } = this.#options;
    const keep = (ms = MINUTE_MS) => this.#keep(this.#now + ms, isSurplus);
    if ((await this.#subject.isNeeded(store, object)) || (await isNeeded?.(store, object))) return keep(this.#subject.neededMs);
    try {
      await registry.remove(CONTEXT, { kind, namespace, name, resourceVersion: String(resourceVersion) });
      this.removed += 1;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const code = error instanceof ServiceError ? error.code : undefined;
      if (code === 'not_found') return;
      // One that cannot be deleted keeps no other.
      if (code !== 'conflict') this.#report(error);
      keep();
    }
  }

  /** Reports the first failure of the walk: the others are mostly alike. */
  #report(error: unknown): void {
    if (!this.#hasFailed) this.#options.reportError(error);
    this.#hasFailed = true;
  }
}
