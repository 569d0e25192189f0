// Readers at the same place of one stream share what they read: a large entry is read once for all who wait for it.
import type { CommitNotice, Store } from './store.ts';

export class SharedReads<T> {
  /** By stream, then by place. */
  readonly #reading = new Map<string, Map<string, Promise<T>>>();

  /** `grown`: streams that a commit made longer. */
  constructor(store: Pick<Store, 'onCommit'>, grown: (notice: CommitNotice) => ReadonlySet<string>) {
    store.onCommit((notice) => {
      for (const stream of grown(notice)) this.#reading.delete(stream);
    });
  }

  /** Calls `look`, unless a call of it for this place is in flight or ended in this turn of the event loop. A call from before a commit of the stream is never shared. */
  read(stream: string, place: string, look: () => Promise<T>): Promise<T> {
    const places = this.#reading.get(stream) ?? new Map<string, Promise<T>>();
    const known = places.get(place);
    if (known) return known;
    const reading = look();
    this.#reading.set(stream, places.set(place, reading));
    const forget = () => {
      if (places.get(place) === reading) places.delete(place);
      if (places.size === 0 && this.#reading.get(stream) === places) this.#reading.delete(stream);
    };
    // Readers that one commit woke arrive within its turn.
    reading.then(() => void setImmediate(forget), forget);
    return reading;
  }
}
