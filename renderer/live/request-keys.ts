// Keys of requests that must have one effect: a request that is repeated for want of an answer has the same key.
import { isUnanswered } from './problem.ts';

/** `crypto.randomUUID` is absent where the console is served over plain HTTP. */
export function newRequestKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class RequestKeys {
  /** By request, while its outcome is unknown. */
  readonly #unanswered = new Map<string, string>();

  /** Sends a request with its key. `what` is equal for equal requests. */
  async send<T>(what: string, request: (key: string) => Promise<T>): Promise<T> {
    const key = this.#unanswered.get(what) ?? newRequestKey();
    try {
      const answer = await request(key);
      this.#unanswered.delete(what);
      return answer;
    } catch (error) {
      // A refusal says nothing of an earlier request, so its key stays.
      if (isUnanswered(error)) this.#unanswered.set(what, key);
      throw error;
    }
  }
}
