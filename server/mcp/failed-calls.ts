// Reports of calls that a server over HTTP did not answer, from the process of the call to the one that syncs the server. A report may be lost.
import type { NamespacedName } from '@svc/shared/resource';
import { CallError } from '../engine/ports.ts';
import type { Store } from '../store/store.ts';

/** Broadcasts of other parts are JSON. */
const REPORT = 'mcp.call_failed ';

/** A server that limits its callers, or answers with an error of the protocol, is there. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof CallError && error.retryable && error.code !== 'rate_limited' && error.reason?.startsWith('rpc_') !== true;

export function reportFailedCall(store: Pick<Store, 'broadcast'>, { namespace, name }: NamespacedName, error: unknown): void {
  if (isUnanswered(error)) store.broadcast([{ audience: 'readers', text: `${REPORT}${namespace}/${name}` }]);
}

/** Calls the listener with what a report names, which need not exist. Returns the unsubscribe function. */
export function onFailedCall(store: Pick<Store, 'onBroadcast'>, listener: (server: NamespacedName) => void): () => void {
  return store.onBroadcast(({ text }) => {
    if (!text.startsWith(REPORT)) return;
    const [namespace = '', name = ''] = text.slice(REPORT.length).split('/');
    listener({ namespace, name });
  });
}
