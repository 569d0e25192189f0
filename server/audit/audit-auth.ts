// Audit lines of sign-ins and of changes to tokens and users: wraps the auth service.
import { isObject } from '@svc/shared/json';
import type { AuthService } from '../auth/auth.ts';
import { timestamp, type Clock } from '../clock.ts';
import { overlay } from '../overlay.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import { createAuditChange, DETAIL_MAX_CHARS } from './audit-change.ts';
import type { AuditAction, AuditSink } from './audit-event.ts';

interface Change {
  readonly action: AuditAction;
  readonly kind: 'Token' | 'User';
  readonly name: unknown;
  readonly role?: unknown;
}

type AuditedCall = <T>(context: RequestContext, change: Change, done: Promise<T>) => Promise<T>;

interface SignInOrigin {
  readonly requestId: string;
  readonly clientAddress?: string;
  /** Owner of the sign-in, when another identity ends it. */
  readonly owner?: string;
}

export function auditAuth(auth: AuthService, sink: AuditSink, clock: Clock): AuthService {
  const write = createAuditChange(sink, clock);
  const audited: AuditedCall = (context, { action, kind, name, role }, done) => {
    const line = {
      component: 'auth',
      action,
      resource: { kind, name: typeof name === 'string' ? name.slice(0, DETAIL_MAX_CHARS) : '' },
      details: typeof role === 'string' ? { [kind === 'Token' ? 'token_role' : 'user_role']: role.slice(0, DETAIL_MAX_CHARS) } : {},
    };
    return write(context, line, done);
  };
  const record = signInRecorder(sink, clock);
  return overlay(auth, {
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
    endSignIn: async (context, id) => {
      const ended = await auth.endSignIn(context, id);
      record('session.delete', context.identity, { requestId: context.requestId, owner: ended.username });
      return ended;
    },
    users: auditUsers(auth.users, audited),
    createToken: (context, body) => {
      const { name, role } = isObject(body) ? body : {};
      return audited(context, { action: 'token.create', kind: 'Token', name, role }, auth.createToken(context, body));
    },
    deleteToken: (context, name) => audited(context, { action: 'token.delete', kind: 'Token', name }, auth.deleteToken(context, name)),
  });
}

function signInRecorder(sink: AuditSink, clock: Clock) {
  return (action: 'session.create' | 'session.delete', { name, method, role }: Identity, at: SignInOrigin): void =>
    sink.write({
      timestamp: timestamp(clock.now()),
      component: 'auth',
      action,
      outcome: 'success',
      principal: { name, method, role },
      resource: { kind: 'BrowserSession', name: at.owner ?? name },
      request_id: at.requestId,
      details: { ...(at.clientAddress !== undefined && { client_address: at.clientAddress }) },
    });
}

function auditUsers(users: AuthService['users'], audited: AuditedCall): AuthService['users'] {
  const change = (action: AuditAction, body: unknown, field: 'role' | 'none' = 'none'): Change => {
    const { username, role } = isObject(body) ? body : {};
    return { action, kind: 'User', name: username, ...(field === 'role' && { role }) };
  };
  return overlay(users, {
    setup: (context, body) => audited(context, change('user.setup', body), users.setup(context, body)),
    create: (context, body) => audited(context, change('user.create', body, 'role'), users.create(context, body)),
    remove: (context, username) => audited(context, change('user.delete', { username }), users.remove(context, username)),
    setRole: (context, username, body) => {
      const { role } = isObject(body) ? body : {};
      return audited(context, change('user.set_role', { username, role }, 'role'), users.setRole(context, username, body));
    },
    resetPassword: (context, body, keptId) =>
      audited(context, change('user.reset_password', body), users.resetPassword(context, body, keptId)),
    changePassword: (context, ownId, body) =>
      audited(context, change('user.change_password', { username: context.identity.name }), users.changePassword(context, ownId, body)),
  });
}
