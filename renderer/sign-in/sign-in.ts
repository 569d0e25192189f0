// Signing in and out, setup and passwords. Secrets are sent to the server once and stored nowhere; the server answers a sign-in with a cookie that scripts
// cannot read.
import { withBase } from '../ui/link/base-path.ts';
import { connection } from '../live/connection.ts';
import { reopen } from '../live/api.ts';
import { queryClient } from '../live/query-client.ts';
import { forgetMessageDrafts } from '../editor/message-drafts.ts';
import { forgetRecents } from '../navigation/recents.ts';

/** Ways to sign in at the server, and whether it needs setup. */
export interface AuthConfig {
  readonly mode: string;
  readonly setup_required: boolean;
  readonly login_methods: readonly string[];
  readonly setup_token_required: boolean;
}

export type SignInCredential = { readonly token: string } | { readonly username: string; readonly password: string };

/** Error of a REST answer, in the shape of errors of calls. */
async function failure(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const error = (body as { error?: unknown } | undefined)?.error;
  return Object.assign(new Error(`The server answered with ${response.status}`), { data: { error, requestId } });
}

async function post(path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(withBase(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await failure(response);
  return response.json();
}

async function enter(path: string, body: unknown): Promise<void> {
  await post(path, body);
  connection.signedIn();
  reopen();
  await queryClient.invalidateQueries();
}

export async function readAuthConfig(): Promise<AuthConfig> {
  const response = await fetch(withBase('/v1/auth/config'));
  if (!response.ok) throw await failure(response);
  return (await response.json()) as AuthConfig;
}

/** Rejects with the server's message. The page stays on the requested address. */
export function signIn(credential: SignInCredential): Promise<void> {
  return enter('/v1/auth/login', credential);
}

/** Makes the first admin of the server, who is signed in then. */
export function setUp(admin: { readonly username: string; readonly password: string; readonly setup_token?: string }): Promise<void> {
  return enter('/v1/auth/setup', admin);
}

/** Ends the other sign-ins of the person. */
export async function changePassword(current: string, next: string): Promise<void> {
  await post('/v1/auth/change-password', { current_password: current, new_password: next });
}

/** Returns the generated password, this once. */
export async function resetPassword(username: string): Promise<string> {
  const { password } = (await post('/v1/auth/admin/reset-password', { username })) as { password: string };
  return password;
}

/** Removes all data of the person from this browser. */
export async function signOut(): Promise<void> {
  await post('/v1/auth/logout');
  forgetRecents();
  forgetMessageDrafts();
  const { dropAllDrafts } = await import('../editor/drafts.ts');
  await dropAllDrafts();
  window.location.assign(withBase('/'));
}
