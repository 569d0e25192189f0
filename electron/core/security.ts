// Decisions about addresses, permissions and windows of the app. Pure: the platform calls them at each event, and denies what they do not allow.

/** Address of the app's own pages that no server serves: the boot page. */
export const SHELL_SCHEME = 'svc-shell';
export const BOOT_URL = `${SHELL_SCHEME}://boot/`;

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Whether a page is the console of the server at `origin`. Compares the origin exactly and refuses credentials in the address. */
export function isAppUrl(url: string, origin: string | null): boolean {
  const parsed = parse(url);
  if (parsed === undefined || origin === null) return false;
  return parsed.protocol === 'http:' && parsed.origin === origin && parsed.username === '' && parsed.password === '';
}

export function isBootUrl(url: string): boolean {
  const parsed = parse(url);
  return parsed?.protocol === `${SHELL_SCHEME}:` && parsed.host === 'boot';
}

/** Whether the window may show this address. Everything else is prevented. */
export function mayNavigate(url: string, origin: string | null): boolean {
  return isAppUrl(url, origin) || isBootUrl(url);
}

const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications', 'fullscreen']);

/** Permissions that a page may have; all others are denied, to every page. */
export function mayUse(permission: string, requester: { readonly url: string; readonly origin: string | null }): boolean {
  return PERMISSIONS.has(permission) && mayNavigate(requester.url, requester.origin);
}

const EXTERNAL_MAX = 2_048;

/** External address (https or mailto) that a person may open after it was shown; undefined for a refused one. */
export function externalAddress(url: string): string | undefined {
  const parsed = url.length > EXTERNAL_MAX ? undefined : parse(url);
  if (parsed === undefined || parsed.username !== '' || parsed.password !== '') return undefined;
  return parsed.protocol === 'mailto:' || parsed.protocol === 'https:' ? parsed.href : undefined;
}

/** Frame that sent a message, as Electron describes it. */
export interface Sender {
  readonly url: string;
  /** Whether it is the top frame of its window. */
  readonly isMainFrame: boolean;
}

/** Page that a sender is; undefined for every page that may send nothing. */
export function senderPage({ url, isMainFrame }: Sender, origin: string | null): 'app' | 'boot' | undefined {
  if (!isMainFrame) return undefined;
  if (isBootUrl(url)) return 'boot';
  return isAppUrl(url, origin) ? 'app' : undefined;
}
