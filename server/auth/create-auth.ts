// The auth service over env tokens and stored tokens (docs/operations.md "Address and authentication").
import { invalidFields, ServiceError, type FieldError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { nameProblem } from '@svc/shared/resource';
import { timestamp, type Clock } from '../clock.ts';
import { requireRole } from '../registry/authorise.ts';
import type { Identity, RequestContext, Role } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import type { AuthService, SignInCaller, SignedIn, SignInRequest, TokenRecord } from './auth.ts';
import {
  endSignIn,
  envProof,
  extendSignIn,
  findProven,
  findSignIn,
  generateSignInKey,
  insertSignIn,
  isSignInKey,
  RENEW_AFTER_MS,
  SIGN_IN_MS,
  type SignInSource,
  type StoredSignIn,
} from './sign-in-documents.ts';
import {
  deleteStoredToken,
  findStoredToken,
  insertStoredToken,
  listStoredTokens,
  oneAtATime,
  tokenWasEverMade,
  type StoredToken,
} from './token-documents.ts';
import { appendTokenFact } from './token-facts.ts';
import { digestOf, findEnvToken, generateToken, isRole, isSystemRef, readEnvTokens, ROLES, type EnvToken } from './tokens.ts';

export interface AuthOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** `SVC_API_TOKEN` or `--api-key`. */
  readonly apiKey?: string | undefined;
  /** `SVC_API_TOKENS`, as given. */
  readonly apiTokens?: string | undefined;
}

/** While auth is off: how old the last look at the store may be. A token made through another process turns auth on here this soon. */
const RECHECK_MS = 1_000;

/** Who calls when nobody has to say: with auth off, the server listens on loopback only, or its operator chose otherwise in so many words. */
export const ANONYMOUS: Identity = { method: 'none', name: 'anonymous', role: 'admin' };

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

function bearerToken(authorization: string): string {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw new ServiceError('unauthorized', 'The Authorization header must be "Bearer <token>"', { headers: CHALLENGE });
  return token;
}

interface TokenRequest {
  readonly name: string;
  readonly role: Role;
  readonly a2a_agent_systems?: readonly string[];
}

function systemErrors(role: unknown, systems: unknown): FieldError[] {
  const path = 'a2a_agent_systems';
  if (role !== 'a2a') return systems === undefined ? [] : [{ path, message: 'is only for role a2a' }];
  if (!Array.isArray(systems) || systems.length === 0)
    return [{ path, message: 'must list the systems that a token of role a2a may invoke' }];
  return systems.flatMap((system: unknown, index) =>
    typeof system === 'string' && isSystemRef(system) ? [] : [{ path: `${path}[${index}]`, message: 'must be name or namespace/name' }],
  );
}

function readTokenRequest(body: unknown): TokenRequest {
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object with name and role');
  const { name, role, a2a_agent_systems: systems } = body;
  const errors: FieldError[] = systemErrors(role, systems);
  const nameIssue = typeof name === 'string' ? nameProblem(name) : 'must be a text';
  if (nameIssue !== undefined) errors.unshift({ path: 'name', message: nameIssue });
  if (!isRole(role)) errors.push({ path: 'role', message: `must be one of ${ROLES.join(', ')}` });
  if (errors.length > 0) throw invalidFields('The token', errors);
  return { name: name as string, role: role as Role, ...(role === 'a2a' && { a2a_agent_systems: systems as string[] }) };
}

function identityOf({ name, role, a2a_agent_systems: systems }: StoredToken): Identity {
  return { method: 'bearer', name, role, ...(systems && { a2aAgentSystems: systems }) };
}

const signInOver = (message: string) => new ServiceError('unauthorized', message, { headers: CHALLENGE });

class StoreAuth implements AuthService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #envTokens: readonly EnvToken[];
  #on: boolean;
  #checkedAt: number;

  constructor(options: AuthOptions, envTokens: readonly EnvToken[], everMade: boolean) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#envTokens = envTokens;
    this.#on = envTokens.length > 0 || everMade;
    this.#checkedAt = options.clock.now();
  }

  enabled(): boolean {
    return this.#on;
  }

  config(): ReturnType<AuthService['config']> {
    // The mode is that of sign-in for people (`--auth-mode`); bearer tokens work in either.
    return { mode: 'off', setup_required: false, login_methods: this.#on ? ['bearer'] : [], setup_token_required: false };
  }

  async authenticate(authorization: string | undefined): Promise<Identity> {
    const identity = await this.tryAuthenticate(authorization);
    if (identity !== undefined) return identity;
    throw new ServiceError('unauthorized', 'This server requires a token: send it as "Authorization: Bearer <token>"', {
      headers: CHALLENGE,
    });
  }

  async tryAuthenticate(authorization: string | undefined): Promise<Identity | undefined> {
    if (!this.#on) await this.#recheck();
    if (!this.#on) return ANONYMOUS;
    if (authorization === undefined) return undefined;
    return (await this.#judge(bearerToken(authorization))).identity;
  }

  async signIn({ token }: SignInRequest): Promise<SignedIn> {
    if (!this.#on) await this.#recheck();
    if (!this.#on) return { identity: ANONYMOUS };
    const { identity, sourceOf } = await this.#judge(token);
    if (identity.role === 'a2a')
      throw new ServiceError('forbidden', 'A token of role a2a invokes systems over A2A; it does not sign people in');
    const key = generateSignInKey();
    await insertSignIn(this.#store, key, { source: sourceOf(key), expires_at: this.#clock.now() + SIGN_IN_MS });
    return { identity: { ...identity, method: 'session' }, key };
  }

  async authenticateSignIn(key: string, { renew }: { readonly renew: boolean }): Promise<SignInCaller> {
    if (!this.#on) await this.#recheck();
    if (!this.#on) return { identity: ANONYMOUS, renewed: false };
    const now = this.#clock.now();
    const stored = isSignInKey(key) ? await findSignIn(this.#store, key) : undefined;
    // One that ends later than any can was made before the clock was set back: it counts, and its next renewal puts it right.
    if (stored === undefined || stored.expires_at <= now) throw signInOver('Your sign-in has ended; sign in again');
    const identity = await this.#identityOf(key, stored.source);
    if (identity === undefined) throw signInOver('The token that you signed in with is no longer valid; sign in again with another one');
    return { identity, renewed: renew && (await this.#extend(key, stored, now)) };
  }

  async signOut(key: string): Promise<Identity | undefined> {
    const stored = isSignInKey(key) ? await findSignIn(this.#store, key) : undefined;
    if (stored === undefined) return undefined;
    const identity = await this.#identityOf(key, stored.source);
    const ended = await endSignIn(this.#store, key, async (tx) => {
      if (identity) await appendTokenFact(tx, { name: identity.name, action: 'signed_out', timestamp: timestamp(this.#clock.now()) });
    });
    return ended && stored.expires_at > this.#clock.now() ? identity : undefined;
  }

  /** Identity of a token, and the reference to it that a sign-in stores. */
  async #judge(token: string): Promise<{ identity: Identity; sourceOf: (key: string) => SignInSource }> {
    const digest = digestOf(token);
    const fromEnv = findEnvToken(this.#envTokens, digest);
    if (fromEnv !== undefined) return { identity: fromEnv.identity, sourceOf: (key) => ({ env: envProof(key, fromEnv) }) };
    const stored = await findStoredToken(this.#store, digest);
    if (stored === undefined)
      throw new ServiceError('unauthorized', 'The token is not valid', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
    return { identity: identityOf(stored), sourceOf: () => ({ stored: stored.digest }) };
  }

  async #identityOf(key: string, source: SignInSource): Promise<Identity | undefined> {
    const token =
      'env' in source
        ? findProven(this.#envTokens, key, source.env)?.identity
        : await findStoredToken(this.#store, Buffer.from(source.stored, 'hex')).then((stored) => stored && identityOf(stored));
    return token && { ...token, method: 'session' };
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

  async createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }> {
    requireRole(context, 'admin', 'creating tokens');
    const request = readTokenRequest(body);
    const token = generateToken();
    const record: TokenRecord = { ...request, created_at: timestamp(this.#clock.now()) };
    await this.#insert(record, digestOf(token));
    this.#on = true;
    return { ...record, token };
  }

  async listTokens(context: RequestContext): Promise<TokenRecord[]> {
    requireRole(context, 'admin', 'listing tokens');
    return (await listStoredTokens(this.#store)).map(({ digest: _digest, ...record }) => record);
  }

  async deleteToken(context: RequestContext, name: string): Promise<TokenRecord> {
    requireRole(context, 'admin', 'deleting tokens');
    return transactAgain(this.#store, async (tx) => {
      await oneAtATime(tx);
      const tokens = await listStoredTokens(tx);
      const token = tokens.find((each) => each.name === name);
      if (token === undefined) throw new ServiceError('not_found', `There is no stored token "${name}"`);
      if (token.role === 'admin' && !this.#adminRemains(tokens.filter((each) => each !== token))) {
        throw new ServiceError('conflict', `Token "${name}" is the last way in as admin; create another admin token before you delete it`);
      }
      await deleteStoredToken(tx, token.digest);
      await appendTokenFact(tx, { name, action: 'revoked', timestamp: timestamp(this.#clock.now()) });
      const { digest: _digest, ...record } = token;
      return record;
    });
  }

  /** A token that was stored although the answer of the store was lost counts as made: nobody could ask for its text again. */
  async #insert(record: TokenRecord, digest: Buffer): Promise<void> {
    const made = transactAgain(this.#store, async (tx) => {
      await oneAtATime(tx);
      const others = await listStoredTokens(tx);
      this.#refuseDuplicate(record.name, others);
      if (record.role !== 'admin' && !this.#adminRemains(others)) {
        throw new ServiceError(
          'conflict',
          'The first token turns authentication on, so it must have role admin; create an admin token first',
        );
      }
      await insertStoredToken(tx, { ...record, digest: digest.toString('hex') });
    });
    await made.catch(async (error: unknown) => {
      const unsure = error instanceof ServiceError && error.code === 'unavailable';
      if (!unsure || !(await findStoredToken(this.#store, digest).catch(() => undefined))) throw error;
    });
  }

  #adminRemains(stored: readonly StoredToken[]): boolean {
    return this.#envTokens.some((token) => token.identity.role === 'admin') || stored.some((token) => token.role === 'admin');
  }

  #refuseDuplicate(name: string, stored: readonly StoredToken[]): void {
    const taken = stored.some((token) => token.name === name) || this.#envTokens.some((token) => token.identity.name === name);
    if (taken) throw new ServiceError('conflict', `A token named "${name}" exists already`);
  }

  async #recheck(): Promise<void> {
    const now = this.#clock.now();
    // A clock that was set back must not put the next look off.
    if (Math.abs(now - this.#checkedAt) < RECHECK_MS) return;
    this.#checkedAt = now;
    if (await tokenWasEverMade(this.#store)) this.#on = true;
  }
}

/** Rejects with an Error that names the position of a malformed token entry. */
export async function createAuth(options: AuthOptions): Promise<AuthService> {
  return new StoreAuth(options, readEnvTokens(options), await tokenWasEverMade(options.store));
}
