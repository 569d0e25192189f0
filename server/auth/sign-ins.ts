// Identity source of browser sign-ins. A sign-in stands for the credential that it was made with, as the source of that credential resolves it.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { Identity } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import type { Credential, IdentitySource, Recognised } from './identity-source.ts';
import {
  endSignIn,
  extendSignIn,
  findSignIn,
  generateSignInKey,
  insertSignIn,
  isSignInKey,
  RENEW_AFTER_MS,
  SIGN_IN_MS,
  type StoredSignIn,
} from './sign-in-documents.ts';
import { appendTokenFact, TOKEN_FACT_KIND } from './token-facts.ts';

const ended = (message: string) => new ServiceError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

export interface SignInsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** All sources; a sign-in is resolved by the source of its credential. */
  readonly sources: () => readonly IdentitySource[];
}

export class SignIns implements IdentitySource {
  readonly id = 'sign-in';
  readonly revokedBy = [TOKEN_FACT_KIND];
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #sources: SignInsOptions['sources'];

  constructor({ store, clock, sources }: SignInsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#sources = sources;
  }

  isOn(): boolean {
    return false;
  }

  async authenticate(credential: Credential): Promise<Recognised | undefined> {
    if (credential.type !== 'sign_in') return undefined;
    const { key, renew } = credential;
    const now = this.#clock.now();
    const stored = isSignInKey(key) ? await findSignIn(this.#store, key) : undefined;
    // An expiry beyond the longest one was written before the clock was set back: the sign-in counts, and its next renewal corrects the expiry.
    if (stored === undefined || stored.expires_at <= now) throw ended('Your sign-in has ended; sign in again');
    const identity = await this.#identityOf(key, stored);
    if (identity === undefined) throw ended('The token that you signed in with is no longer valid; sign in again with another one');
    return { identity, renewed: renew && (await this.#extend(key, stored, now)) };
  }

  resolve(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  config(): ReturnType<IdentitySource['config']> {
    return Promise.resolve({});
  }

  principals(): Promise<readonly Identity[]> {
    return Promise.resolve([]);
  }

  /** Makes a sign-in that stands for `recognised`, a credential of the source `id`. Returns its key. */
  async open(id: string, linkFor: (key: string) => string): Promise<string> {
    const key = generateSignInKey();
    await insertSignIn(this.#store, key, { source: { [id]: linkFor(key) }, expires_at: this.#clock.now() + SIGN_IN_MS });
    return key;
  }

  /** Ends a sign-in on every server. Returns its identity; undefined when it had ended before. */
  async end(key: string): Promise<Identity | undefined> {
    const stored = isSignInKey(key) ? await findSignIn(this.#store, key) : undefined;
    if (stored === undefined) return undefined;
    const identity = await this.#identityOf(key, stored);
    const done = await endSignIn(this.#store, key, async (tx) => {
      if (identity) await appendTokenFact(tx, { name: identity.name, action: 'signed_out', timestamp: timestamp(this.#clock.now()) });
    });
    return done && stored.expires_at > this.#clock.now() ? identity : undefined;
  }

  async #identityOf(key: string, { source: links }: StoredSignIn): Promise<Identity | undefined> {
    for (const source of this.#sources()) {
      const link = links[source.id];
      const identity = link === undefined ? undefined : await source.resolve(link, key);
      if (identity !== undefined) return { ...identity, method: 'session' };
    }
    return undefined;
  }

  /** A sign-in whose renewal fails stays valid: the next request tries again. */
  async #extend(key: string, stored: StoredSignIn, now: number): Promise<boolean> {
    const passed = Math.abs(now + SIGN_IN_MS - stored.expires_at);
    if (passed < RENEW_AFTER_MS) return false;
    try {
      return await extendSignIn(this.#store, key, { was: stored, expiresAt: now + SIGN_IN_MS });
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }
}
