// Keys of requests that must have one effect: a request repeated after a lost answer has the same key.
import { isUnanswered } from './problem.ts';

/** `crypto.randomUUID` is absent where the console is served over plain HTTP. */
export function newRequestKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class RequestKeys {
  /** By request, while its outcome is unknown. */
  readonly #unanswered = new Map<string, string>();

  /** Sends a request with its key. `what` is equal for equal requests; `isRepeat`: an earlier one with this key got no answer. */
  async send<T>(what: string, request: (key: string, isRepeat: boolean) => Promise<T>, newKey = newRequestKey): Promise<T> {
    const known = this.#unanswered.get(what);
    const key = known ?? newKey();
    try {
      const answer = await request(key, known !== undefined);
      this.#unanswered.delete(what);
      return answer;
    } catch (error) {
      // A refusal says nothing of an earlier request, so its key stays.
      if (isUnanswered(error)) this.#unanswered.set(what, key);
      throw error;
    }
  }
}
