// Auth service over an ordered list of identity sources (docs/operations.md "Address and authentication").
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type {
  AuthConfig,
  AuthService,
  SignedIn,
  SignInCaller,
  SignInPage,
  SignInRecord,
  SignInRequest,
  SignInsQuery,
  TokenRecord,
} from './auth.ts';
import { createEnvironmentTokens } from './environment-tokens.ts';
import type { Credential, IdentitySource, RecognisedCaller } from './identity-source.ts';
import { createLaunchSessions, type Launch } from './launch-sessions.ts';
import { SignIns } from './sign-ins.ts';
import { StoredTokens } from './stored-tokens.ts';
import { ANONYMOUS_NAME, type TokenConfig } from './tokens.ts';
import { createPasswordHasher, type PasswordHasher } from './users/password-hasher.ts';
import { noUsers, type UserService } from './users/user-service.ts';
import { Users } from './users/users.ts';

export interface AuthOptions extends TokenConfig {
  readonly store: Store;
  readonly clock: Clock;
  /** Sign-in of people with names and passwords. Absent: there are no users. */
  readonly native?: {
    /** Token that the request for the first admin must carry. */
    readonly setupToken?: string | undefined;
    /** Replaces the hasher; tests count its work. */
    readonly hasher?: PasswordHasher;
  };
  /** Secret of one run of the desktop app, whose window it signs in. */
  readonly launch?: Launch | undefined;
  /** Removes what is stored for a user or a token, by its name, in the transaction that deletes it. */
  readonly onDeleted?: (tx: StoreTransaction, name: string) => Promise<void>;
  /** Further sources. */
  readonly sources?: readonly IdentitySource[];
}

/** While auth is off, the store is read at least this often, in case a notice of a commit is lost. */
const RECHECK_MS = 1_000;

/** Every caller while auth is off: the server listens on loopback only, or its operator allowed more by a flag. */
export const ANONYMOUS: Identity = { method: 'none', name: ANONYMOUS_NAME, role: 'admin' };

function bearerToken(authorization: string): string {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ServiceError('unauthorized', 'The Authorization header must be "Bearer <token>"');
  return token;
}

function refused({ type }: Credential): ServiceError {
  if (type === 'password') return new ServiceError('unauthorized', 'The user name or the password is not correct');
  return new ServiceError('unauthorized', 'The token is not valid');
}

interface Found extends RecognisedCaller {
  readonly source: IdentitySource;
}

interface AuthParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly sources: readonly IdentitySource[];
  readonly tokens: StoredTokens;
  readonly signIns: SignIns;
  readonly users: UserService;
}

class SourcedAuth implements AuthService {
  readonly revokedBy: readonly string[];
  readonly users: UserService;
  readonly #parts: AuthParts;
  #checkedAt: number;
  /** Something was committed since the last read of the store. */
  #mayBeOn = false;

  constructor(parts: AuthParts) {
    this.#parts = parts;
    this.users = parts.users;
    this.#checkedAt = parts.clock.now();
    const unsubscribe = parts.store.onCommit(() => {
      this.#mayBeOn = true;
      if (this.enabled()) unsubscribe();
    });
    this.revokedBy = [...new Set(parts.sources.flatMap(({ revokedBy = [] }) => revokedBy))];
  }

  enabled(): boolean {
    return this.#parts.sources.some((source) => source.isOn?.() === true);
  }

  /** The mode is that of sign-in for people; bearer tokens work in any. */
  async config(): Promise<AuthConfig> {
    const parts = await Promise.all(
      this.#parts.sources.map(async (source): Promise<Partial<AuthConfig>> => (await source.config?.()) ?? {}),
    );
    return {
      mode: parts.find(({ mode }) => mode !== undefined)?.mode ?? 'off',
      setup_required: parts.some((part) => part.setup_required),
      login_methods: [...new Set(parts.flatMap((part) => part.login_methods ?? []))],
      setup_token_required: parts.some((part) => part.setup_token_required),
    };
  }

  async authenticate(authorization: string | undefined): Promise<Identity> {
    const identity = await this.tryAuthenticate(authorization);
    if (identity !== undefined) return identity;
    throw new ServiceError('unauthorized', 'This server requires a token: send it as "Authorization: Bearer <token>"');
  }

  async tryAuthenticate(authorization: string | undefined): Promise<Identity | undefined> {
    if (!(await this.#isOn())) return ANONYMOUS;
    if (authorization === undefined) return undefined;
    return (await this.#find({ type: 'bearer', token: bearerToken(authorization) })).identity;
  }

  async principal(name: string): Promise<Identity | undefined> {
    if (name === ANONYMOUS_NAME) return (await this.#isOn()) ? undefined : ANONYMOUS;
    for (const source of this.#parts.sources) {
      const found = await source.principal?.(this.#parts.store, name);
      if (found) return found;
    }
    return undefined;
  }

  async authenticateSignIn(key: string, { renew }: { readonly renew: boolean }): Promise<SignInCaller> {
    if (!(await this.#isOn())) return { identity: ANONYMOUS, renewed: false };
    const { identity, renewed = false } = await this.#find({ type: 'sign_in', key, renew });
    return { identity, renewed };
  }

  async signIn({ credential, clientAddress, userAgent }: SignInRequest): Promise<SignedIn> {
    if (!(await this.#isOn())) return { identity: ANONYMOUS };
    const { identity, linkFor, source } = await this.#find(credential);
    if (identity.role === 'a2a')
      throw new ServiceError('forbidden', 'A token of role a2a invokes systems over A2A; it does not sign people in');
    if (linkFor === undefined) throw new ServiceError('forbidden', 'This credential cannot be exchanged for a sign-in');
    const key = await this.#parts.signIns.open(source.id, linkFor, { name: identity.name, clientAddress, userAgent });
    return { identity: { ...identity, method: 'session' }, key };
  }

  signOut(key: string): Promise<Identity | undefined> {
    return this.#parts.signIns.end(key);
  }

  listSignIns(context: RequestContext, query: SignInsQuery): Promise<SignInPage> {
    return this.#parts.signIns.list(context, query);
  }

  endSignIn(context: RequestContext, id: string): Promise<SignInRecord> {
    return this.#parts.signIns.endById(context, id);
  }

  createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }> {
    return this.#parts.tokens.create(context, body);
  }

  listTokens(context: RequestContext): Promise<TokenRecord[]> {
    return this.#parts.tokens.list(context);
  }

  deleteToken(context: RequestContext, name: string): Promise<TokenRecord> {
    return this.#parts.tokens.remove(context, name);
  }

  async #find(credential: Credential): Promise<Found> {
    for (const source of this.#parts.sources) {
      const recognised = await source.authenticate(credential);
      if (recognised !== undefined) return { ...recognised, source };
    }
    throw refused(credential);
  }

  /** A token made through another process turns auth on here. */
  async #isOn(): Promise<boolean> {
    if (this.enabled()) return true;
    const now = this.#parts.clock.now();
    // A clock that was set back must not put off the next read.
    if (!this.#mayBeOn && Math.abs(now - this.#checkedAt) < RECHECK_MS) return false;
    this.#checkedAt = now;
    this.#mayBeOn = false;
    await refresh(this.#parts.sources);
    return this.enabled();
  }
}

async function refresh(sources: readonly IdentitySource[]): Promise<void> {
  for (const source of sources) await source.refresh?.();
}

/** Rejects with an Error that names the position of a malformed token entry. */
export async function createAuth(options: AuthOptions): Promise<AuthService> {
  const { store, clock, onDeleted = () => Promise.resolve() } = options;
  const shared = { store, clock, onDeleted, others: () => sources };
  const tokens = new StoredTokens(shared);
  const signIns = new SignIns({ store, clock, sources: () => sources });
  const users = options.native && new Users({ ...shared, hasher: createPasswordHasher(), ...options.native });
  const further = [...(users ? [users] : []), ...(options.sources ?? [])];
  const launch = options.launch ? [createLaunchSessions(options.launch)] : [];
  const sources: readonly IdentitySource[] = [createEnvironmentTokens(options), tokens, ...launch, signIns, ...further];
  await refresh(sources);
  return new SourcedAuth({ store, clock, sources, tokens, signIns, users: users ?? noUsers });
}
