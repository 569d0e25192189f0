// Requests of the app to its server, each answered by a message with the same nonce.
import { randomBytes } from 'node:crypto';
import type { FromServer, Profile, ProfileTest, ToServer } from '@svc/shared/control';
import type { Timers } from './supervisor.ts';

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

interface Waiting {
  readonly answer: (message: FromServer) => void;
  readonly fail: (reason: string) => void;
}

const TEST_TIMEOUT_MS = 15_000;

export class ServerRequests {
  readonly #send: (message: ToServer) => void;
  readonly #timers: Timers;
  readonly #waiting = new Map<string, Waiting>();

  constructor(send: (message: ToServer) => void, timers: Timers) {
    this.#send = send;
    this.#timers = timers;
  }

  /** A sign-in of the window. Rejects when the server ends before it answers. */
  mintCookie(): Promise<Cookie> {
    return new Promise((resolve, reject) => {
      const nonce = this.#open({
        answer: (message) => message.type === 'ui-session' && resolve(message.cookie),
        fail: (reason) => reject(new Error(reason)),
      });
      this.#send({ type: 'mint-ui-session', nonce });
    });
  }

  /** Check of another server, by the gateway of this app's own. Rejects when that ends or gives no answer in time. */
  testProfile(profile: Profile, token: string | undefined): Promise<ProfileTest> {
    return new Promise((resolve, reject) => {
      let cancel: () => void = () => undefined;
      const nonce = this.#open({
        answer(message) {
          cancel();
          if (message.type === 'profile-tested') resolve(message.result);
        },
        fail(reason) {
          cancel();
          reject(new Error(reason));
        },
      });
      cancel = this.#timers.after(TEST_TIMEOUT_MS, () => this.#take(nonce)?.fail('The server of this app gave no answer'));
      this.#send({ type: 'profile-test', nonce, profile, ...(token !== undefined && { token }) });
    });
  }

  /** Whether the message was the answer of a request; one that nobody waits for is dropped. */
  receive(message: FromServer): boolean {
    if (message.type !== 'ui-session' && message.type !== 'profile-tested') return false;
    this.#take(message.nonce)?.answer(message);
    return true;
  }

  /** The server ended: nothing will be answered. */
  reset(): void {
    for (const nonce of [...this.#waiting.keys()]) this.#take(nonce)?.fail('The server of this app ended');
  }

  #open(waiting: Waiting): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#waiting.set(nonce, waiting);
    return nonce;
  }

  #take(nonce: string): Waiting | undefined {
    const waiting = this.#waiting.get(nonce);
    this.#waiting.delete(nonce);
    return waiting;
  }
}
