// Judgement of a server by its answer to GET /v1/capabilities: whether the console of this version can show it. Pure.
import type { ProfileTest } from '@svc/shared/control';

const VERSION = /^(\d{1,5})\.(\d{1,5})\.\d{1,5}(?:[-+][0-9A-Za-z.+-]{1,40})?$/;

const problem = (state: ProfileTest['state'], message: string, version: string | null = null): ProfileTest => ({
  ok: false,
  state,
  version,
  message,
});

/** Versions are of one line when the console of one can show the other: the same major version, before 1.0 the same minor one too. */
export function isCompatible(own: string, other: string): boolean {
  const [, major, minor] = VERSION.exec(own) ?? [];
  const [, otherMajor, otherMinor] = VERSION.exec(other) ?? [];
  return major !== undefined && major === otherMajor && (major !== '0' || minor === otherMinor);
}

interface CapabilitiesAnswer {
  readonly status: number;
  readonly body: string;
  readonly ownVersion: string;
  /** Whether a token was sent. */
  readonly withToken: boolean;
}

export function judgeAnswer({ status, body, ownVersion, withToken }: CapabilitiesAnswer): ProfileTest {
  if (status === 401)
    return problem('refused', withToken ? 'The server does not accept the token of this profile' : 'The server requires a token');
  if (status === 403) return problem('refused', 'The token of this profile may not use the console of its server');
  if (status >= 300 && status < 400)
    return problem('foreign', 'The server redirects to another address: enter that address, if it is the right one');
  if (status >= 500) return problem('unreachable', `The server answers ${status}`);
  const version = status === 200 ? versionIn(body) : undefined;
  if (version === undefined) return problem('foreign', 'Another program answers at this address, or a server that this app does not know');
  if (!isCompatible(ownVersion, version))
    return problem('incompatible', `The server has version ${version}; this app shows servers of version ${lineOf(ownVersion)}`, version);
  return { ok: true, state: 'ready', version, message: `The server answers: version ${version}` };
}

function lineOf(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `${major}.${minor}` : major;
}

/** Version in the document of capabilities; undefined where the answer is not such a document. */
function versionIn(body: string): string | undefined {
  try {
    const { version, capabilities } = JSON.parse(body) as { version?: unknown; capabilities?: unknown };
    if (typeof version !== 'string' || !VERSION.test(version) || !Array.isArray(capabilities)) return undefined;
    const ids = capabilities.map((each) => (each as { id?: unknown } | null)?.id);
    return ids.includes('resources') ? version : undefined;
  } catch {
    return undefined;
  }
}
