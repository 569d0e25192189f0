// Identity, setup, and signing in: a password or an API token is exchanged for a cookie that scripts cannot read.
import { ServiceError } from '@svc/shared/errors';
import type { AuthService, SignInRequest } from '../../auth/auth.ts';
import type { Clock } from '../../clock.ts';
import type { Identity } from '../../registry/registry.ts';
import { signInCookieHeader, type CallerGate } from '../gate/caller.ts';
import { createTokenBuckets } from '../gate/token-bucket.ts';
import { json, type AttemptLimit, type Call, type JsonReply, type Route } from '../route.ts';
import { readFields, type Fields } from './request-fields.ts';
import { ref } from './schemas.ts';
import { userRoutes } from './users.ts';

export interface SignInServices {
  readonly auth: AuthService;
  readonly gate: CallerGate;
  readonly clock: Clock;
}

const TAG = 'Auth';
/** Attempts to sign in, to set up and to change passwords, per client address. */
const ATTEMPT_RATES = { burst: 20, perMinute: 10, addressesMax: 10_000, refusal: 'Too many attempts from your address' };
const LOGIN_BODY_MAX_BYTES = 16 * 1024;

/** The answer of /v1/auth/me. */
function me(identity: Identity | undefined) {
  if (identity === undefined) return { authenticated: false, method: 'none', name: '', role: '' };
  return { authenticated: true, method: identity.method, name: identity.name, role: identity.role };
}

/** Passwords count only where a source of identities takes them. */
async function credentialOf(auth: AuthService, { token, username, password }: Fields): Promise<SignInRequest['credential']> {
  if (typeof token === 'string' && token.trim() !== '') return { type: 'bearer', token: token.trim() };
  const takesPasswords = (await auth.config()).login_methods.includes('password');
  if (takesPasswords && typeof username === 'string' && typeof password === 'string') return { type: 'password', username, password };
  throw new ServiceError(
    'invalid',
    takesPasswords
      ? 'The body must be {"username": "<name>", "password": "<password>"} or {"token": "<API token>"}'
      : 'The body must be {"token": "<API token>"}: this server signs people in by an API token, not by a password',
  );
}

async function signedIn({ auth, gate }: SignInServices, call: Call, credential: SignInRequest['credential']): Promise<JsonReply> {
  const { clientAddress, request } = call;
  const { requestId } = call.context;
  const { identity, key } = await auth.signIn({ credential, requestId, clientAddress, userAgent: call.header('user-agent') });
  const body = { authenticated: true, username: identity.name, role: identity.role, method: identity.method };
  if (key === undefined) return json(body);
  return json(body, { headers: { 'Set-Cookie': signInCookieHeader(gate.cookieOf(request), key) } });
}

function identityRoutes({ auth }: SignInServices): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/auth/config',
      access: 'public',
      tag: TAG,
      operationId: 'getAuthConfig',
      summary: 'How to sign in',
      description:
        '`login_methods` is empty while no token exists. `bearer` in it: an API token, sent with each request, or exchanged for a sign-in cookie by POST /v1/auth/login.',
      responses: { 200: { description: 'The configuration.', schema: ref('AuthConfig') } },
      handle: async () => json(await auth.config()),
    },
    {
      method: 'GET',
      path: '/v1/auth/me',
      access: 'public',
      tag: TAG,
      operationId: 'getAuthMe',
      summary: 'Who am I',
      description:
        'By the Authorization header, else by the sign-in cookie. While auth is off everyone is `anonymous` with role admin. With auth on and neither, or a sign-in that has ended, `authenticated` is false; a wrong token is 401.',
      responses: { 200: { description: 'The identity.', schema: ref('AuthMe') } },
      errors: ['unauthorized'],
      handle: async (call) => json(me(await call.recognise())),
    },
  ];
}

const ATTEMPTS =
  'One address may make 10 attempts a minute to sign in, to set up, to change or to reset a password, in bursts of 20; more are 429 with `Retry-After`.';

function loginRoute(services: SignInServices, limit: AttemptLimit): Route {
  const { auth, gate } = services;
  return {
    method: 'POST',
    path: '/v1/auth/login',
    access: 'public',
    tag: TAG,
    operationId: 'login',
    summary: 'Sign in with a password or an API token',
    description: `Exchanges the credential for a sign-in, kept in the cookie \`svc_session\` (\`__Host-svc_session\` over HTTPS, \`__Secure-svc_session\` there under a path prefix) for 24 hours from the last request. The sign-in has the role of its user or token, and ends with it. A token of role a2a is 403, a page of another origin too. While auth is off no sign-in is needed: the answer has method \`none\` and sets no cookie. ${ATTEMPTS}`,
    body: {
      description: 'User name and password, or the token.',
      schema: ref('LoginRequest'),
      maxBytes: LOGIN_BODY_MAX_BYTES,
    },
    errors: ['unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
    responses: { 200: { description: 'Signed in.', schema: ref('SignedIn'), headers: { 'Set-Cookie': 'The sign-in.' } } },
    handle: async (call) => {
      gate.admitSignIn(call.request);
      limit.take(call.clientAddress);
      return signedIn(services, call, await credentialOf(auth, await readFields(call)));
    },
  };
}

function setupRoute(services: SignInServices, limit: AttemptLimit): Route {
  const { auth, gate } = services;
  return {
    method: 'POST',
    path: '/v1/auth/setup',
    access: 'public',
    tag: TAG,
    operationId: 'setup',
    summary: 'Create the first admin, and sign in',
    description: `Once for each database, in mode \`native\`; 409 afterwards, on every server. With a setup token on the server the body must carry it: a wrong one is 403. ${ATTEMPTS}`,
    body: {
      description: 'The first admin.',
      schema: ref('SetupRequest'),
      maxBytes: LOGIN_BODY_MAX_BYTES,
    },
    errors: ['unauthorized', 'forbidden', 'conflict', 'rate_limited', 'unavailable'],
    responses: { 201: { description: 'Signed in.', schema: ref('SignedIn'), headers: { 'Set-Cookie': 'The sign-in.' } } },
    handle: async (call) => {
      gate.admitSetup(call.request);
      limit.take(call.clientAddress);
      const body = await readFields(call);
      const { username } = await auth.users.setup(call.context, body);
      const credential = { type: 'password', username, password: String(body['password']) } as const;
      return { ...(await signedIn(services, call, credential)), status: 201 };
    },
  };
}

function logoutRoute({ auth, gate }: SignInServices): Route {
  return {
    method: 'POST',
    path: '/v1/auth/logout',
    access: 'public',
    tag: TAG,
    operationId: 'logout',
    summary: 'Sign out',
    errors: ['forbidden'],
    description: 'Ends the sign-in of the cookie, on every server, and removes the cookie. Without a sign-in it does nothing.',
    responses: {
      200: { description: 'Signed out; who you are now.', schema: ref('AuthMe'), headers: { 'Set-Cookie': 'Removes the sign-in.' } },
    },
    handle: async (call) => {
      gate.admitSignOut(call.request);
      const cookie = gate.cookieOf(call.request);
      const key = cookie.read(call.request.headers.cookie);
      if (key !== undefined) await auth.signOut(key, { requestId: call.context.requestId });
      return json(me(await auth.tryAuthenticate(undefined)), { headers: { 'Set-Cookie': cookie.clear() } });
    },
  };
}

/** Signing in and out, the caller's identity, and users. One limit counts all attempts on passwords. */
export function signInRoutes(services: SignInServices): Route[] {
  const limit = createTokenBuckets(ATTEMPT_RATES, services.clock);
  return [
    ...identityRoutes(services),
    setupRoute(services, limit),
    loginRoute(services, limit),
    logoutRoute(services),
    ...userRoutes(services, limit),
  ];
}
