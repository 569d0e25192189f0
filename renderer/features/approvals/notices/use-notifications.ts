// Shows browser notifications of new approvals while the tab is hidden. Asks for no permission by itself.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { approvalAddress, pageAddress } from '../../../navigation/addresses.ts';
import { useConnection } from '../../../live/connection.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import type { Approval } from '../model/approval.ts';
import { planNotices } from './notify.ts';

type NotifyPermission = NotificationPermission | 'unsupported';

function notifyPermission(): NotifyPermission {
  return typeof Notification === 'undefined' || !window.isSecureContext ? 'unsupported' : Notification.permission;
}

const listeners = new Set<() => void>();

/** Has to be called by a press of the person. */
export async function requestNotificationPermission(): Promise<void> {
  if (notifyPermission() !== 'unsupported') await Notification.requestPermission();
  for (const listener of listeners) listener();
}

/** The browser's own settings of the page can revoke the permission, or grant it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  let status: PermissionStatus | undefined;
  let over = false;
  const follow = (found: PermissionStatus) => {
    if (over) return;
    status = found;
    status.addEventListener('change', listener);
  };
  // A browser without this permission name rejects: then a reload shows the change.
  void navigator.permissions?.query({ name: 'notifications' }).then(follow, () => undefined);
  return () => {
    over = true;
    listeners.delete(listener);
    status?.removeEventListener('change', listener);
  };
}

export function useNotifyPermission(): NotifyPermission {
  return useSyncExternalStore(subscribe, notifyPermission);
}

const time = (at: number) => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(at);

/** Undefined where a page may not create one by itself, as on phones: there the title and the bell have to suffice. */
function notify(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}

export interface Watched {
  readonly scope: string;
  readonly pending: readonly Approval[];
  /** Start of watching, by the server's clock. The first list may contain later requests, and later pages contain much older ones. */
  readonly since: number;
}

export function useNotifications({ scope, pending, since }: Watched): void {
  const navigation = useNavigation();
  const known = useRef<ReadonlySet<string>>(new Set());
  const [shown] = useState(() => new Map<string, Notification>());
  useEffect(
    () => () => {
      // No other code would withdraw them later.
      for (const notification of shown.values()) notification.close();
      shown.clear();
    },
    [shown],
  );
  useEffect(() => {
    const before = known.current;
    known.current = new Set(pending.map(({ uid }) => uid));
    if (notifyPermission() !== 'granted') return;
    const plan = planNotices({ pending, known: before, since, shown: new Set(shown.keys()), time });
    for (const tag of plan.close) {
      shown.get(tag)?.close();
      shown.delete(tag);
    }
    if (document.hasFocus()) return;
    for (const { tag, title, body, opens } of plan.show) {
      const notification = notify(title, { body, tag });
      if (!notification) return;
      notification.onclick = () => {
        window.focus();
        notification.close();
        navigation.go(opens ? approvalAddress(scope, opens) : pageAddress(scope, 'inbox'));
      };
      notification.onclose = () => shown.get(tag) === notification && shown.delete(tag);
      shown.set(tag, notification);
    }
  }, [pending, since, scope, navigation, shown]);
}

/** Announces that the sign-in expired while the tab was hidden, which ends the notifications. */
export function useSignedOutNotice(): void {
  const { phase } = useConnection();
  useEffect(() => {
    if (phase !== 'unauthorized' || notifyPermission() !== 'granted' || document.hasFocus()) return;
    const body = 'Sign in again to be notified of new approvals.';
    const notification = notify('Your sign-in has ended', { body, tag: 'signed-out' });
    if (notification) notification.onclick = () => window.focus();
    return () => notification?.close();
  }, [phase]);
}
