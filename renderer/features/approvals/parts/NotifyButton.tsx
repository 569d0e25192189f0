// Asks the browser for permission to notify, at the user's request.
import { Bell, BellOff, BellRing } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { requestNotificationPermission, useNotifyPermission } from '../notices/use-notifications.ts';

export function NotifyButton() {
  const permission = useNotifyPermission();
  if (permission === 'granted')
    return (
      <span className="inline-flex items-center gap-1.5 text-sm text-muted">
        <BellRing aria-hidden className="size-3.5" /> Notifications are on
      </span>
    );
  if (permission === 'default')
    return (
      <Button size="sm" icon={<Bell />} onClick={requestNotificationPermission}>
        Notify me
      </Button>
    );
  const reason =
    permission === 'denied'
      ? 'This browser blocks notifications of this page. Its settings for the page change that.'
      : 'Browsers notify only for pages on HTTPS or from this machine.';
  return (
    <Button size="sm" icon={<BellOff />} disabledReason={reason}>
      Notify me
    </Button>
  );
}
