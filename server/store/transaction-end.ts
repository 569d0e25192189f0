// End of a store transaction's use. Work that a failed transaction leaves behind may still call it: it then receives the cause, as an outage
// that looks like a programmer's error would count against the caller.
import { ServiceError } from '@svc/shared/errors';

export class TransactionEnd {
  #reason: unknown;
  #reached = false;

  get reached(): boolean {
    return this.#reached;
  }

  /** The first call counts. Without a reason a later use is a forgotten `await`. */
  reach(reason?: unknown): void {
    if (this.#reached) return;
    this.#reached = true;
    this.#reason = reason;
  }

  throwIfReached(): void {
    if (!this.#reached) return;
    const reason: unknown =
      this.#reason ?? new ServiceError('internal', 'a store transaction was used after its end; await every call inside it');
    throw reason;
  }
}
