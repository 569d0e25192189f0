// Who is calling, and may they. Source: SPEC "Authentication", DECISIONS section 5.
import type { Identity, RequestContext, Role } from '../registry/registry.ts';

export interface TokenRecord {
  readonly name: string;
  readonly role: Role;
  readonly a2a_agent_systems?: readonly string[];
  readonly created_at: string;
}

export interface AuthService {
  /** Auth is on when an env token exists, the mode is native, or a stored token has ever been made. */
  enabled(): boolean;
  /** The caller's identity. With auth off: the anonymous admin of a loopback server. Throws `unauthorized` for a missing or wrong token. */
  authenticate(authorization: string | undefined): Promise<Identity>;
  /** Like authenticate, but undefined instead of a throw when no token was sent. */
  tryAuthenticate(authorization: string | undefined): Promise<Identity | undefined>;
  config(): { mode: string; setup_required: boolean; login_methods: readonly string[]; setup_token_required: boolean };
  /** Validates the body, stores only the SHA-256 of the token; the token is returned this once. Admin only. */
  createToken(context: RequestContext, body: unknown): Promise<TokenRecord & { token: string }>;
  listTokens(context: RequestContext): Promise<TokenRecord[]>;
  /** `conflict` when it is the last way in as admin. */
  deleteToken(context: RequestContext, name: string): Promise<TokenRecord>;
}
