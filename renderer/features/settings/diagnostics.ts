// Diagnostics for support: the state of this page and its server, without names of objects and without secrets.
import { connection, type ConnectionState } from '../../live/connection.ts';
import { serverNow } from '../../live/server-clock.ts';
import { consolePath } from '../../ui/link/base-path.ts';

interface Step {
  readonly at: string;
  readonly phase: string;
}

const KEPT_MAX = 50;
const history: Step[] = [];

function note({ phase, since }: ConnectionState): void {
  if (history.at(-1)?.phase === phase) return;
  history.push({ at: new Date(since).toISOString(), phase });
  history.splice(0, history.length - KEPT_MAX);
}

note(connection.state());
connection.subscribe(() => note(connection.state()));

export interface DiagnosticsInput {
  readonly version: string;
  readonly build: string;
  readonly authEnabled: boolean;
  readonly role: string;
  readonly capabilities: readonly { readonly id: string; readonly enabled: boolean; readonly source: string }[];
  /** The page's address. */
  readonly address: string;
  readonly userAgent: string;
}

/** The address without search text and names: `/n/…/tasks/…`. Pure. */
export function redactedPath(address: string): string {
  return consolePath(new URL(address, 'http://page.invalid').pathname)
    .split('/')
    .map((part, index) => (index === 2 || index > 3 ? '…' : part))
    .join('/');
}

export function diagnosticsOf({ capabilities, address, ...rest }: DiagnosticsInput) {
  return {
    made: new Date(serverNow()).toISOString(),
    clockDifferenceMs: Math.round(serverNow() - Date.now()),
    ...rest,
    page: redactedPath(address),
    secureContext: typeof window === 'undefined' ? undefined : window.isSecureContext,
    capabilities: capabilities.map(({ id, enabled, source }) => ({ id, enabled, source })),
    connection: history,
  };
}
