// End of a store transaction's use. Work that is still running when its transaction fails gets the same error for later calls.
import { ServiceError } from '@svc/shared/errors';

export class TransactionEnd {
  #reason: unknown;
  #reached = false;

  get reached(): boolean {
    return this.#reached;
  }

  /** The first call counts. Without a reason, the error of later calls names a missing `await`. */
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
