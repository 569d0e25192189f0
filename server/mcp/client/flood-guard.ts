// Counts messages that answer no request, over either transport: each costs memory and time, and a request also an answer.
import { CallError } from '../../engine/ports.ts';
import { REQUESTS_PER_SECOND_MAX, UNSOLICITED_BYTES_PER_SECOND_MAX, UNSOLICITED_PER_SECOND_MAX } from '../limits.ts';

const isObject = (message: unknown): message is object => typeof message === 'object' && message !== null;

export class FloodGuard {
  readonly #what: string;
  readonly #unsolicited = new SecondSum();
  readonly #bytes = new SecondSum();
  readonly #requests = new SecondSum();
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

  /** The error that ends the connection, when this message is one too many. Text that is no message is `undefined`; `bytes` is 0 where they are counted elsewhere. */
  judge(message: unknown, bytes: number): CallError | undefined {
    const isAnswer = isObject(message) && !('method' in message);
    if (isAnswer && this.#unanswered > 0) {
      this.#unanswered -= 1;
      return undefined;
    }
    if (this.#unsolicited.add(1) > UNSOLICITED_PER_SECOND_MAX)
      return flood(this.#what, `${UNSOLICITED_PER_SECOND_MAX} unsolicited messages`);
    if (this.#bytes.add(bytes) > UNSOLICITED_BYTES_PER_SECOND_MAX)
      return flood(this.#what, `${UNSOLICITED_BYTES_PER_SECOND_MAX} bytes of unsolicited messages`);
    const isRequest = !isAnswer && isObject(message) && 'id' in message;
    return isRequest && this.#requests.add(1) > REQUESTS_PER_SECOND_MAX
      ? flood(this.#what, `${REQUESTS_PER_SECOND_MAX} requests`)
      : undefined;
  }
}

/** Sum of the current second. */
export class SecondSum {
  #since = 0;
  #sum = 0;

  add(amount: number): number {
    const now = performance.now();
    if (now - this.#since > 1_000) [this.#since, this.#sum] = [now, 0];
    this.#sum += amount;
    return this.#sum;
  }
}

export function flood(what: string, amount: string): CallError {
  const text = `${what} sent more than ${amount} in a second; the connection was ended`;
  return new CallError('malformed_response', text, { retryable: false, reason: 'flood' });
}
