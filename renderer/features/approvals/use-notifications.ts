// Shows the browser's notifications of new approvals while the tab is not looked at. Asks for nothing by itself.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { approvalAddress, pageAddress } from '../../app/addresses.ts';
import { useNavigation } from '../../ui/navigation.ts';
import type { Approval } from './approval.ts';
import { planNotices } from './notify.ts';

type NotifyPermission = NotificationPermission | 'unsupported';

function notifyPermission(): NotifyPermission {
  return typeof Notification === 'undefined' || !window.isSecureContext ? 'unsupported' : Notification.permission;
}

const listeners = new Set<() => void>();

/** Has to be called by a press of the person. */
export async function askToNotify(): Promise<void> {
  if (notifyPermission() !== 'unsupported') await Notification.requestPermission();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNotifyPermission(): NotifyPermission {
  return useSyncExternalStore(subscribe, notifyPermission);
}

const time = (at: number) => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(at);

/** `loaded`: before it what waits is not new. */
export function useNotifications(pending: readonly Approval[], loaded: boolean, scope: string): void {
  const navigation = useNavigation();
  const known = useRef<ReadonlySet<string>>(undefined);
  const [shown] = useState(() => new Map<string, Notification>());
  useEffect(() => {
    if (!loaded) return;
    const before = known.current;
    known.current = new Set(pending.map(({ uid }) => uid));
    if (!before || notifyPermission() !== 'granted') return;
    const plan = planNotices({ pending, known: before, shown: new Set(shown.keys()), time });
    for (const tag of plan.close) {
      shown.get(tag)?.close();
      shown.delete(tag);
    }
    if (document.hasFocus()) return;
    for (const { tag, title, body, opens } of plan.show) {
      const notification = new Notification(title, { body, tag });
      notification.onclick = () => {
        window.focus();
        notification.close();
        navigation.go(opens ? approvalAddress(scope, opens) : pageAddress(scope, 'inbox'));
      };
      notification.onclose = () => shown.delete(tag);
      shown.set(tag, notification);
    }
  }, [pending, loaded, scope, navigation, shown]);
}
