// Delivery of broadcasts to the listeners of this process, for both engines.
import { invariant } from '@svc/shared/errors';
import { BROADCAST_MAX_BYTES, type Broadcast } from './store.ts';

export class LocalBroadcast {
  readonly #listeners = new Set<(message: Broadcast) => void>();

  on(listener: (message: Broadcast) => void): () => void {
    // Wrapped, so that a listener registered twice is called twice and removed once.
    const entry = (message: Broadcast) => listener(message);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Listeners are called after the sender has gone on. A listener that throws is a programmer's error and surfaces. */
  deliver(messages: readonly Broadcast[]): void {
    for (const { text } of messages) invariant(Buffer.byteLength(text) <= BROADCAST_MAX_BYTES, 'a broadcast text is too long');
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        for (const message of messages) listener(message);
      });
    }
  }
}
