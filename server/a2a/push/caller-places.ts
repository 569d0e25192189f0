// Places of deliveries that run at once, some of them for each caller: a receiver that never answers holds its place until the time limit.

/** Deliveries at once of one process, and of one caller in it. */
export const DELIVERIES_AT_ONCE = 32;
const OF_ONE_CALLER = 8;
/** Keys of one caller that are remembered; others come back by themselves. */
const WAITING_MAX = 1_000;

interface Held {
  count: number;
  /** Keys of notifications that found no place. */
  readonly waiting: Set<string>;
}

export class CallerPlaces {
  readonly #held = new Map<string, Held>();

  /** False when the caller holds all of its places. */
  enter(caller: string, key: string): boolean {
    const held = this.#held.get(caller) ?? { count: 0, waiting: new Set() };
    this.#held.set(caller, held);
    if (held.count < OF_ONE_CALLER) {
      held.count += 1;
      held.waiting.delete(key);
      return true;
    }
    if (held.waiting.size < WAITING_MAX) held.waiting.add(key);
    return false;
  }

  /** Gives a place back. Returns a key that waits for it. */
  leave(caller: string): string | undefined {
    const held = this.#held.get(caller);
    if (!held) return undefined;
    held.count -= 1;
    if (held.count === 0) this.#held.delete(caller);
    const [next] = held.waiting;
    if (next !== undefined) held.waiting.delete(next);
    return next;
  }
}
