// Notifies of new approvals from whatever page is open, once the person has allowed it. Shows nothing itself; the shell holds it.
import { useScope } from '../../app/scope.ts';
import { usePending } from './use-approvals.ts';
import { useNotifications, useNotifyPermission } from './use-notifications.ts';

export function ApprovalNotifier() {
  const permission = useNotifyPermission();
  const { scope } = useScope();
  return permission === 'granted' ? <Watching key={scope} /> : null;
}

/** Made anew for each namespace: what waits there already is not news. */
function Watching() {
  const { scope, namespace } = useScope();
  const { approvals, loading } = usePending(namespace);
  useNotifications(approvals, !loading, scope);
  return null;
}
