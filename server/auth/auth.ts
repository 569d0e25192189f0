// Port of authentication: identity of a caller, tokens and browser sign-ins.
import type { Identity, RequestContext, Role } from '../registry/registry.ts';
import type { Credential } from './identity-source.ts';
import type { UserService } from './users/user-service.ts';

export interface TokenRecord {
  readonly name: string;
  readonly role: Role;
  readonly a2a_agent_systems?: readonly string[];
  readonly created_at: string;
}

export interface SignInRequest {
  /** Exchanged for the sign-in. */
  readonly credential: Exclude<Credential, { type: 'sign_in' }>;
  /** Id of the request that carried the credentials, for the audit log. */
  readonly requestId: string;
  readonly clientAddress: string;
  /** Description that the browser gives of itself, for the list of sign-ins. */
  readonly userAgent?: string | undefined;
}

/** One entry of GET /v1/auth/sessions. */
export interface SignInRecord {
  readonly id: string;
  readonly username: string;
  readonly method: 'password' | 'token';
  /** Empty for a sign-in of an older version. */
  readonly created_at: string;
  readonly expires_at: string;
  readonly client_address: string;
  readonly user_agent: string;
  /** The sign-in that the request came with. */
  readonly current: boolean;
}

export interface SignInsQuery {
  /** Absent: the caller's own; as admin, all. */
  readonly name?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  /** Id of the sign-in that the request came with. */
  readonly ownId?: string | undefined;
}

export interface SignInPage {
  readonly items: readonly SignInRecord[];
  /** Cursor of the next page; absent at the end. */
  readonly next?: string;
}

export interface SignedIn {
  readonly identity: Identity;
  /** Key that the browser keeps, 256 random bits, returned this once. Absent while auth is off. */
  readonly key?: string;
}

export interface SignInCaller {
  readonly identity: Identity;
  /** The sign-in was given its full time again. */
  readonly renewed: boolean;
}

/** Body of GET /v1/auth/config. */
export interface AuthConfig {
  /** Sign-in of people: `off`, or the mode of the source that they sign in with. */
  readonly mode: string;
  readonly setup_required: boolean;
  readonly login_methods: readonly string[];
  readonly setup_token_required: boolean;
}

export interface AuthService {
  /** Kinds of the facts in the change log after which callers of open connections are checked again. */
  readonly revokedBy: readonly string[];
  /** True when a source of identities is on, such as an env token, or a stored token that was ever made. */
  enabled(): boolean;
  /** The caller's identity. With auth off: the anonymous admin of a loopback server. Throws `unauthorized` for a missing or wrong token. */
  authenticate(authorization: string | undefined): Promise<Identity>;
  /** Like authenticate, but undefined instead of a throw when no token was sent. */
  tryAuthenticate(authorization: string | undefined): Promise<Identity | undefined>;
  /** Identity of the token or user of this name; undefined once it is deleted. The name of callers without a credential has one while auth is off. */
  principal(name: string): Promise<Identity | undefined>;
  /** Exchanges a credential for a sign-in that any server on the store accepts. Throws `unauthorized` for a wrong one, `forbidden` for one of role a2a. */
  signIn(request: SignInRequest): Promise<SignedIn>;
  /**
   * Identity of a sign-in at this moment. With auth off: the anonymous admin. Throws `unauthorized` for a sign-in that is unknown, expired, or whose
   * token is gone. With `renew` it is given its full time again, which is written about once an hour.
   */
  authenticateSignIn(key: string, options: { readonly renew: boolean }): Promise<SignInCaller>;
  /** Ends a sign-in on every server. Returns its identity; undefined when it had ended before. */
  signOut(key: string, request: { readonly requestId: string }): Promise<Identity | undefined>;
  listSignIns(context: RequestContext, query: SignInsQuery): Promise<SignInPage>;
  /** Ends a sign-in by its id, on every server: one's own, or as admin any. `not_found` for others. */
  endSignIn(context: RequestContext, id: string): Promise<SignInRecord>;
  config(): Promise<AuthConfig>;
  /** Users with passwords. Refuses every call unless the mode is native. */
  readonly users: UserService;
  /** Validates the body, stores only the SHA-256 of the token; the token is returned this once. Admin only. */
  createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }>;
  listTokens(context: RequestContext): Promise<TokenRecord[]>;
  /** `conflict` when it is the last way in as admin. */
  deleteToken(context: RequestContext, name: string): Promise<TokenRecord>;
}
