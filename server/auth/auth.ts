// Port of authentication: identity of a caller, tokens and browser sign-ins.
import type { Identity, RequestContext, Role } from '../registry/registry.ts';
import type { Credential } from './identity-source.ts';

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
  /** Exchanges a credential for a sign-in that any server on the store accepts. Throws `unauthorized` for a wrong one, `forbidden` for one of role a2a. */
  signIn(request: SignInRequest): Promise<SignedIn>;
  /**
   * Identity of a sign-in at this moment. With auth off: the anonymous admin. Throws `unauthorized` for a sign-in that is unknown, expired, or whose
   * token is gone. With `renew` it is given its full time again, which is written about once an hour.
   */
  authenticateSignIn(key: string, options: { readonly renew: boolean }): Promise<SignInCaller>;
  /** Ends a sign-in on every server. Returns its identity; undefined when it had ended before. */
  signOut(key: string, request: { readonly requestId: string }): Promise<Identity | undefined>;
  config(): Promise<AuthConfig>;
  /** Validates the body, stores only the SHA-256 of the token; the token is returned this once. Admin only. */
  createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }>;
  listTokens(context: RequestContext): Promise<TokenRecord[]>;
  /** `conflict` when it is the last way in as admin. */
  deleteToken(context: RequestContext, name: string): Promise<TokenRecord>;
}
