// Signing in and out. The token is sent to the server once and stored nowhere; the server answers with a cookie that scripts cannot read.
import { connection } from '../live/connection.ts';
import { reconnectNow } from '../live/api.ts';
import { queryClient } from '../live/query-client.ts';
import { forgetRecents } from '../navigation/recents.ts';

/** Error of a REST answer, in the shape of errors of calls. */
async function failure(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const error = (body as { error?: unknown } | undefined)?.error;
  return Object.assign(new Error(`The server answered with ${response.status}`), { data: { error, requestId } });
}

async function post(path: string, body?: unknown): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await failure(response);
}

/** Rejects with the server's message. The page stays on the requested address. */
export async function signIn(token: string): Promise<void> {
  await post('/v1/auth/login', { token });
  connection.signedIn();
  reconnectNow();
  await queryClient.invalidateQueries();
}

/** Removes all data of the person from this browser. */
export async function signOut(): Promise<void> {
  await post('/v1/auth/logout');
  forgetRecents();
  const { dropAllDrafts } = await import('../editor/drafts.ts');
  await dropAllDrafts();
  window.location.assign('/');
}
