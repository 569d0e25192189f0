// Keys of providers in the environment of the person at the desktop: the app passes their names at the start, and a value after the person agreed.
import { randomBytes } from 'node:crypto';
import type { FromServer } from '@svc/shared/control';
import type { EnvironmentKeySource } from '../environment-keys/source.ts';

/** The app starts a login shell for the value, which takes its time. */
const ANSWER_TIMEOUT_MS = 10_000;

export class PersonKeys implements EnvironmentKeySource {
  readonly #names: readonly string[];
  readonly #send: (message: FromServer) => void;
  readonly #waiting = new Map<string, (value: string | undefined) => void>();

  constructor(names: readonly string[], send: (message: FromServer) => void) {
    this.#names = names;
    this.#send = send;
  }

  names(): readonly string[] {
    return this.#names;
  }

  read(variable: string): Promise<string | undefined> {
    const nonce = randomBytes(16).toString('base64url');
    return new Promise((resolve) => {
      const settle = (value: string | undefined) => {
        clearTimeout(late);
        this.#waiting.delete(nonce);
        resolve(value);
      };
      const late = setTimeout(() => settle(undefined), ANSWER_TIMEOUT_MS);
      this.#waiting.set(nonce, settle);
      this.#send({ type: 'environment-key-request', nonce, variable });
    });
  }

  /** An answer that nobody waits for is dropped. */
  answer(nonce: string, value: string | null): void {
    this.#waiting.get(nonce)?.(value?.trim() || undefined);
  }
}
