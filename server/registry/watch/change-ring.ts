// The newest stretch of the change log in memory: consecutive changes, bounded by number and by size. Pure.
import type { Change } from '../../store/store.ts';

export interface RingLimits {
  readonly changesMax: number;
  /** Approximate characters of JSON. */
  readonly sizeMax: number;
}

const RING_LIMITS: RingLimits = { changesMax: 2048, sizeMax: 16 * 1024 * 1024 };

interface Slot {
  readonly change: Change;
  readonly size: number;
}

export class ChangeRing {
  readonly #limits: RingLimits;
  #slots: Slot[] = [];
  #size = 0;
  #head: number;

  /** Empty, positioned after `head`. */
  constructor(head: number, limits = RING_LIMITS) {
    this.#head = head;
    this.#limits = limits;
  }

  /** The newest seq read. */
  get head(): number {
    return this.#head;
  }

  /** Adds the changes that follow the head. A gap (the log was pruned before it was read) empties the ring first. */
  push(changes: readonly Change[]): void {
    const [first] = changes;
    if (!first) return;
    if (first.seq !== this.#head + 1) this.#drop(this.#slots.length);
    for (const change of changes) {
      const size = approximateSize(change.object) + approximateSize(change.fact);
      this.#slots.push({ change, size });
      this.#size += size;
      this.#head = change.seq;
    }
    this.#trim();
  }

  /**
   * Up to `limit` changes after `seq`, as many as fit into `sizeMax` and one at least: empty when there are none yet, undefined when the ring no longer
   * reaches back so far.
   */
  after(seq: number, limit: number, sizeMax = Infinity): readonly Change[] | undefined {
    if (seq >= this.#head) return [];
    const start = this.#slots.length - (this.#head - seq);
    if (start < 0) return undefined;
    const found = this.#slots.slice(start, start + limit);
    let size = 0;
    const end = found.findIndex((slot, index) => (size += slot.size) > sizeMax && index > 0);
    return (end < 0 ? found : found.slice(0, end)).map((slot) => slot.change);
  }

  #trim(): void {
    let surplus = 0;
    let size = this.#size;
    while (this.#slots.length - surplus > this.#limits.changesMax || size > this.#limits.sizeMax) {
      size -= this.#slots[surplus]?.size ?? size;
      surplus++;
    }
    this.#drop(surplus);
  }

  #drop(count: number): void {
    for (const slot of this.#slots.splice(0, count)) this.#size -= slot.size;
  }
}

/** Cheaper than serialising: strings by length, everything else by a constant. */
export function approximateSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  for (const [key, entry] of Object.entries(value)) size += key.length + 4 + approximateSize(entry);
  return size;
}
