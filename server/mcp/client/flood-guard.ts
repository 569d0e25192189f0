// Counts messages that answer no request, over either transport: each costs memory and time, and a request also an answer.
import { CallError } from '../../engine/ports.ts';
import { REQUESTS_PER_SECOND_MAX, UNSOLICITED_PER_SECOND_MAX } from '../limits.ts';

const isObject = (message: unknown): message is object => typeof message === 'object' && message !== null;

export class FloodGuard {
  readonly #what: string;
  #since = 0;
  #unsolicited = 0;
  #requests = 0;
  /** Requests of ours without an answer so far. */
  #unanswered = 0;

  /** `what` names the other side. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Called for each message of ours. */
  sent(message: object): void {
    if ('method' in message && 'id' in message) this.#unanswered += 1;
  }

  /** The error that ends the connection, when this message is one too many. Text that is no message is `undefined`. */
  judge(message: unknown): CallError | undefined {
    const isAnswer = isObject(message) && !('method' in message);
    if (isAnswer && this.#unanswered > 0) {
      this.#unanswered -= 1;
      return undefined;
    }
    const now = performance.now();
    if (now - this.#since > 1_000) [this.#since, this.#unsolicited, this.#requests] = [now, 0, 0];
    this.#unsolicited += 1;
    if (!isAnswer && isObject(message) && 'id' in message) this.#requests += 1;
    if (this.#unsolicited > UNSOLICITED_PER_SECOND_MAX) return this.#flood(`${UNSOLICITED_PER_SECOND_MAX} unsolicited messages`);
    return this.#requests > REQUESTS_PER_SECOND_MAX ? this.#flood(`${REQUESTS_PER_SECOND_MAX} requests`) : undefined;
  }

  #flood(amount: string): CallError {
    const text = `${this.#what} sent more than ${amount} in a second; the connection was ended`;
    return new CallError('malformed_response', text, { retryable: false, reason: 'flood' });
  }
}
