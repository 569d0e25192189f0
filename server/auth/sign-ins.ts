// Identity source of browser sign-ins. A sign-in stands for the credential that it was made with, as the source of that credential resolves it.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import type { SignInPage, SignInRecord, SignInsQuery } from './auth.ts';
import type { Credential, IdentitySource, RecognisedCaller } from './identity-source.ts';
import {
  endSignIn,
  extendSignIn,
  findSignIn,
  generateSignInKey,
  insertSignIn,
  isSignInKey,
  listSignIns,
  RENEW_AFTER_MS,
  SIGN_IN_MS,
  signInId,
  type ListedSignIn,
  type StoredSignIn,
} from './sign-in-documents.ts';
import { appendTokenFact, TOKEN_FACT_KIND } from './token-facts.ts';
import { appendUserFact } from './users/user-facts.ts';
import { USERS_SOURCE } from './users/user-documents.ts';

/** Stored characters of a browser's description of itself. */
const USER_AGENT_MAX = 200;

const ended = (message: string) => new ServiceError('unauthorized', message);

export interface SignInsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** All sources; a sign-in is resolved by the source of its credential. */
  readonly sources: () => readonly IdentitySource[];
}

/** Origin of a new sign-in, kept for the list of sign-ins. */
export interface SignInOrigin {
  readonly name: string;
  readonly clientAddress: string;
  readonly userAgent?: string | undefined;
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

  async authenticate(credential: Credential): Promise<RecognisedCaller | undefined> {
    if (credential.type !== 'sign_in') return undefined;
    const { key, renew } = credential;
    const now = this.#clock.now();
    const stored = await this.#find(key);
    // An expiry beyond the longest one was written before the clock was set back: the sign-in counts, and its next renewal corrects the expiry.
    if (stored === undefined || stored.expires_at <= now) throw ended('Your sign-in has ended; sign in again');
    const identity = await this.#identityOf(key, stored);
    if (identity === undefined) {
      const byUser = USERS_SOURCE in stored.source;
      throw ended(
        byUser
          ? 'Your password was changed or your user was deleted; sign in again'
          : 'The token that you signed in with is no longer valid; sign in again with a different token',
      );
    }
    return { identity, renewed: renew && (await this.#extend(key, stored, now)) };
  }

  /** Makes a sign-in that stands for `recognised`, a credential of the source `id`. Returns its key. */
  async open(id: string, linkFor: (key: string) => string, { name, clientAddress, userAgent }: SignInOrigin): Promise<string> {
    const key = generateSignInKey();
    const now = this.#clock.now();
    await insertSignIn(this.#store, key, {
      source: { [id]: linkFor(key) },
      expires_at: now + SIGN_IN_MS,
      name,
      created_at: now,
      client_address: clientAddress,
      ...(userAgent !== undefined && { user_agent: userAgent.slice(0, USER_AGENT_MAX) }),
    });
    return key;
  }

  /** Ends a sign-in on every server. Returns its identity; undefined when it had ended before. */
  async end(key: string): Promise<Identity | undefined> {
    const stored = await this.#find(key);
    if (stored === undefined) return undefined;
    const identity = await this.#identityOf(key, stored);
    const done = await this.#remove(signInId(key), stored, identity?.name);
    return done && stored.expires_at > this.#clock.now() ? identity : undefined;
  }

  /** Valid sign-ins, in the order of their ids. A page may be shorter than the limit. */
  async list(context: RequestContext, { name, after = '', limit, ownId }: SignInsQuery): Promise<SignInPage> {
    const { role, name: caller } = context.identity;
    const wanted = role === 'admin' ? name : caller;
    if (wanted?.toLowerCase() !== name?.toLowerCase() && name !== undefined)
      throw new ServiceError('forbidden', 'Listing the sign-ins of others needs role admin');
    const page = await listSignIns(this.#store, { name: wanted, after, limit });
    const items: SignInRecord[] = [];
    for (const each of page) if (await this.#counts(each)) items.push(recordOf(each, ownId));
    const last = page.at(-1);
    return { items, ...(page.length === limit && last && { next: last.id }) };
  }

  /** Ends a sign-in by its id: one's own, or as admin any. `not_found` for others, as for one that has ended. */
  async endById(context: RequestContext, id: string): Promise<SignInRecord> {
    const { role, name } = context.identity;
    const stored = await findSignIn(this.#store, id);
    const isOwn = stored?.name?.toLowerCase() === name.toLowerCase();
    const done = stored !== undefined && (isOwn || role === 'admin') && (await this.#remove(id, stored, stored.name));
    if (!done) throw new ServiceError('not_found', 'There is no such sign-in; it may have ended already');
    return recordOf({ id, stored }, undefined);
  }

  async #find(key: string): Promise<StoredSignIn | undefined> {
    return isSignInKey(key) ? findSignIn(this.#store, signInId(key)) : undefined;
  }

  #remove(id: string, { source }: StoredSignIn, name: string | undefined): Promise<boolean> {
    const append = USERS_SOURCE in source ? appendUserFact : appendTokenFact;
    return endSignIn(this.#store, id, async (tx) => {
      if (name !== undefined) await append(tx, { name, action: 'signed_out', timestamp: timestamp(this.#clock.now()) });
    });
  }

  async #counts({ stored }: ListedSignIn): Promise<boolean> {
    if (stored.expires_at <= this.#clock.now()) return false;
    for (const source of this.#sources()) {
      const link = stored.source[source.id];
      if (link !== undefined) return source.linksNeedKeys === true || (await source.resolve?.(link, '')) !== undefined;
    }
    return false;
  }

  async #identityOf(key: string, { source: links }: StoredSignIn): Promise<Identity | undefined> {
    for (const source of this.#sources()) {
      const link = links[source.id];
      const identity = link === undefined ? undefined : await source.resolve?.(link, key);
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

function recordOf({ id, stored }: ListedSignIn, ownId: string | undefined): SignInRecord {
  const { name = '', source, created_at: createdAt, expires_at: expiresAt, client_address: address = '', user_agent: agent = '' } = stored;
  return {
    id,
    username: name,
    method: USERS_SOURCE in source ? 'password' : 'token',
    created_at: createdAt === undefined ? '' : timestamp(createdAt),
    expires_at: timestamp(expiresAt),
    client_address: address,
    user_agent: agent,
    current: id === ownId,
  };
}
