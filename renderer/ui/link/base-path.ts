// Path prefix under which a proxy serves this console, as the server wrote it into the page. Addresses inside the console are without it.

/** `/svc`, or empty. The development server leaves the placeholder in place. */
export function basePathOf(page: Pick<Document, 'querySelector'>): string {
  const path = page.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';
  return path.startsWith('/') ? path : '';
}

export const BASE_PATH = basePathOf(document);

/** An absolute path as the browser needs it; any other address unchanged. */
export const withBase = (href: string): string => (href.startsWith('/') ? `${BASE_PATH}${href}` : href);

/** Path of the current page inside the console. */
export function consolePath(pathname: string): string {
  return BASE_PATH !== '' && `${pathname}/`.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) || '/' : pathname;
}

let named: { readonly name: string; readonly address: string } | undefined;

/** Sets name and address of another server that this page shows through a gateway. */
export function nameServer(server: { readonly name: string; readonly address: string }): void {
  named = server;
}

/** The server as people name it, `host:port/svc`. */
export const serverName = (): string => named?.name ?? `${window.location.host}${BASE_PATH}`;

/** Address of the server for clients outside of this page, `https://host/svc`. */
export const serverAddress = (): string => named?.address ?? `${window.location.origin}${BASE_PATH}`;

/** Name of a place in the browser's storage: servers under several prefixes of one origin do not share theirs. */
export const storageName = (name: string): string => `${name}${BASE_PATH}`;
