// Notifies of new approvals on every page, once the person has allowed it. Renders nothing; mounted in the shell.
import { useState } from 'react';
import { useScope } from '../../../navigation/scope.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { usePending } from '../model/use-approvals.ts';
import { useNotifications, useNotifyPermission, useSignedOutNotice } from './use-notifications.ts';

export function ApprovalNotifier() {
  const permission = useNotifyPermission();
  const { scope } = useScope();
  // Scope watched since the page loaded; undefined once it was left, or when nothing was watched then.
  const [loaded, setLoaded] = useState(permission === 'granted' ? scope : undefined);
  if (loaded !== undefined && (loaded !== scope || permission !== 'granted')) setLoaded(undefined);
  return permission === 'granted' ? <Watching key={scope} sinceLoad={scope === loaded} /> : null;
}

/**
 * Remounted for each namespace, and whenever the permission is granted: approvals that wait there already are not notified. Those that
 * arrived while the page was loading are.
 */
function Watching({ sinceLoad }: { readonly sinceLoad: boolean }) {
  const { scope, namespace } = useScope();
  const { approvals } = usePending(namespace);
  const [since] = useState(() => serverNow() - (sinceLoad ? performance.now() : 0));
  useNotifications({ scope, pending: approvals, since });
  useSignedOutNotice();
  return null;
}
