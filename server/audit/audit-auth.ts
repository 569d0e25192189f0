// Audit lines of sign-ins and of token changes: wraps the auth service.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { AuthService } from '../auth/auth.ts';
import { timestamp, type Clock } from '../clock.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import type { AuditSink } from './audit-event.ts';

const NAME_MAX = 253;

interface Change {
  readonly action: 'token.create' | 'token.delete';
  readonly name: unknown;
  readonly role?: unknown;
}

interface SignInOrigin {
  readonly requestId: string;
  readonly clientAddress?: string;
}

/** Wraps the auth service with audit lines. The HTTP surface reports refusals for a missing role, as it does for every request. */
export function auditAuth(auth: AuthService, sink: AuditSink, clock: Clock): AuthService {
  const audited = async <T>({ identity, requestId }: RequestContext, { action, name, role }: Change, change: Promise<T>): Promise<T> => {
    const { name: who, method, role: own } = identity;
    const write = (outcome: string, code?: string) =>
      sink.write({
        timestamp: timestamp(clock.now()),
        component: 'auth',
        action,
        outcome,
        principal: { name: who, method, role: own },
        resource: { kind: 'Token', name: typeof name === 'string' ? name.slice(0, NAME_MAX) : '' },
        request_id: requestId,
        details: { ...(typeof role === 'string' && { token_role: role.slice(0, NAME_MAX) }), ...(code !== undefined && { code }) },
      });
    try {
      const done = await change;
      write('success');
      return done;
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal';
      if (code !== 'forbidden') write('failed', code);
      throw error;
    }
  };
  const record = (action: 'session.create' | 'session.delete', { name, method, role }: Identity, at: SignInOrigin) =>
    sink.write({
      timestamp: timestamp(clock.now()),
      component: 'auth',
      action,
      outcome: 'success',
      principal: { name, method, role },
      resource: { kind: 'BrowserSession', name },
      request_id: at.requestId,
      details: { ...(at.clientAddress !== undefined && { client_address: at.clientAddress }) },
    });
  return {
    revokedBy: auth.revokedBy,
    enabled: () => auth.enabled(),
    authenticate: (authorization) => auth.authenticate(authorization),
    tryAuthenticate: (authorization) => auth.tryAuthenticate(authorization),
    authenticateSignIn: (value, options) => auth.authenticateSignIn(value, options),
    signIn: async (request) => {
      const done = await auth.signIn(request);
      // Without a key no sign-in was made: auth is off.
      if (done.key !== undefined) record('session.create', done.identity, request);
      return done;
    },
    signOut: async (value, request) => {
      const identity = await auth.signOut(value, request);
      if (identity !== undefined) record('session.delete', identity, request);
      return identity;
    },
    config: () => auth.config(),
    listTokens: (context) => auth.listTokens(context),
    createToken: (context, body) => {
      const { name, role } = isObject(body) ? body : {};
      return audited(context, { action: 'token.create', name, role }, auth.createToken(context, body));
    },
    deleteToken: (context, name) => audited(context, { action: 'token.delete', name }, auth.deleteToken(context, name)),
  };
}
