// Objects that one watcher's client has, and the effect of each change on it: created, updated, deleted or nothing. Pure.
// Two things make this more than the change's own type: changes that a snapshot already contains, and objects that enter or leave a label selector.
import { matchesLabels } from '@svc/shared/labels';
import type { WatchChangeType } from '@svc/shared/api/watch';
import type { Change, LabelRequirement, StoredObject } from '../../store/store.ts';

/** The previous match of the object is unknown; call `learn` first. */
export const NEEDS_HISTORY = 'needs-history';

/** Effect of a change on the client; undefined: nothing. */
export type Verdict = WatchChangeType | typeof NEEDS_HISTORY | undefined;

interface KnownVersion {
  readonly uid: string;
  readonly resourceVersion: number;
}

/**
 * A view begins `fresh`, before a snapshot, or `resumed`, when the client already holds what matched at its cursor.
 * Memory: the keys that match for a labelled view (resumed: the keys seen), nothing for a plain one once its snapshot is over.
 */
export class WatchView {
  readonly #labels: readonly LabelRequirement[];
  readonly #resumed: boolean;
  /** Objects that the client has (`false`: known not to have); an absent key means it has not (fresh) or it is unknown (resumed). */
  readonly #known = new Map<string, KnownVersion | false>();
  #inSnapshot: boolean;

  constructor(labels: readonly LabelRequirement[] | undefined, begins: 'fresh' | 'resumed') {
    this.#labels = labels ?? [];
    this.#resumed = begins === 'resumed';
    this.#inSnapshot = begins === 'fresh';
  }

  /** The client was shown this object by the snapshot. */
  showSnapshot(object: StoredObject): void {
    this.#known.set(keyOf(object), knownOf(object));
  }

  /** From here on every change is newer than all that the snapshot showed. */
  endSnapshot(): void {
    this.#inSnapshot = false;
    if (!this.#labels.length) this.#known.clear();
  }

  /** Informs a resumed view whether the client had the object before the change it could not judge. */
  learn(change: Change, had: boolean): void {
    if (change.object) this.#known.set(keyOf(change.object), had && knownOf(change.object));
  }

  /** Changes must come in order. Except for `NEEDS_HISTORY`, the view assumes that the client received the result. */
  judge(change: Change): Verdict {
    const { object } = change;
    if (!object || change.type === 'fact') return undefined;
    if (!this.#labels.length && !this.#inSnapshot) return change.type;
    if (this.#inSnapshot && this.#shown(change, object)) return undefined;
    const had = this.#had(change, object);
    if (had === undefined) return NEEDS_HISTORY;
    const has = change.type !== 'deleted' && this.matches(object);
    if (has) this.#known.set(keyOf(object), knownOf(object));
    else if (this.#resumed) this.#known.set(keyOf(object), false);
    else this.#known.delete(keyOf(object));
    if (has) return had ? 'updated' : 'created';
    return had ? 'deleted' : undefined;
  }

  matches(object: StoredObject): boolean {
    return matchesLabels(this.#labels, object.labels);
  }

  /** True when the snapshot already held this state or a later one: of the same object, or of one that replaced it under its name. */
  #shown(change: Change, object: StoredObject): boolean {
    const known = this.#known.get(keyOf(object));
    if (!known) return false;
    if (known.uid !== object.uid) return true;
    return change.type !== 'deleted' && object.resourceVersion <= known.resourceVersion;
  }

  #had(change: Change, object: StoredObject): boolean | undefined {
    const known = this.#known.get(keyOf(object));
    if (known !== undefined) return known !== false;
    if (!this.#resumed || change.type === 'created') return false;
    return change.type === 'deleted' ? this.matches(object) : undefined;
  }
}

/** Never the object itself: a view lives as long as its stream. */
function knownOf({ uid, resourceVersion }: StoredObject): KnownVersion {
  return { uid, resourceVersion };
}

function keyOf(object: StoredObject): string {
  return `${object.namespace}/${object.name}`;
}
