// Who is calling, and may they. Source: SPEC "Authentication", DECISIONS section 5.
import type { Identity, RequestContext, Role } from '../registry/registry.ts';

export interface TokenRecord {
  readonly name: string;
  readonly role: Role;
  readonly a2a_agent_systems?: readonly string[];
  readonly created_at: string;
}

export interface SignInRequest {
  /** The API token that is exchanged. */
  readonly token: string;
  /** Of the request that brought it, for the audit. */
  readonly requestId: string;
  readonly clientAddress: string;
}

export interface SignedIn {
  readonly identity: Identity;
  /** What the browser keeps, 256 random bits; shown this once. Absent while auth is off: there is nothing to keep. */
  readonly session?: string;
}

export interface SessionCaller {
  readonly identity: Identity;
  /** The session was given its full time again. */
  readonly renewed: boolean;
}

export interface AuthService {
  /** Auth is on when an env token exists, the mode is native, or a stored token has ever been made. */
  enabled(): boolean;
  /** The caller's identity. With auth off: the anonymous admin of a loopback server. Throws `unauthorized` for a missing or wrong token. */
  authenticate(authorization: string | undefined): Promise<Identity>;
  /** Like authenticate, but undefined instead of a throw when no token was sent. */
  tryAuthenticate(authorization: string | undefined): Promise<Identity | undefined>;
  /** Exchanges an API token for a session that any server on the store knows. Throws `unauthorized` for a wrong token, `forbidden` for one of role a2a. */
  signIn(request: SignInRequest): Promise<SignedIn>;
  /**
   * Who the session's token makes the caller now. With auth off: the anonymous admin. Throws `unauthorized` for a session that is unknown, over, or whose
   * token is gone. With `renew` it is given its full time again, which is written about once an hour.
   */
  authenticateSession(session: string, options: { readonly renew: boolean }): Promise<SessionCaller>;
  /** Ends a session for every server. Who it was; undefined for one that is over already. */
  signOut(session: string, request: { readonly requestId: string }): Promise<Identity | undefined>;
  config(): { mode: string; setup_required: boolean; login_methods: readonly string[]; setup_token_required: boolean };
  /** Validates the body, stores only the SHA-256 of the token; the token is returned this once. Admin only. */
  createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }>;
  listTokens(context: RequestContext): Promise<TokenRecord[]>;
  /** `conflict` when it is the last way in as admin. */
  deleteToken(context: RequestContext, name: string): Promise<TokenRecord>;
}
