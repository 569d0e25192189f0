// Starts a Session with a system and opens its composer.
import { MessageSquarePlus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { SystemRef } from '../model/start-session.ts';
import { useStartSession } from '../model/use-start-session.ts';

export interface StartSessionButtonProps {
  readonly system: SystemRef;
  readonly label?: ReactNode;
  /** Name of the new Session; by default one is proposed. */
  readonly sessionName?: string;
}

export function StartSessionButton({ system, label = 'Chat', sessionName }: StartSessionButtonProps) {
  const startWith = useStartSession();
  const { reason } = useCanWrite();
  const [busy, setBusy] = useState(false);
  const start = async () => {
    if (busy) return;
    setBusy(true);
    await startWith(system, sessionName);
    setBusy(false);
  };
  const { namespace, name } = system;
  useShortcut({
    id: `session.start.${namespace}/${name}`,
    label: `Chat with ${name}`,
    when: reason === undefined,
    run: () => void start(),
  });
  return (
    <Button icon={<MessageSquarePlus />} busy={busy} disabledReason={reason} onClick={() => void start()}>
      {label}
    </Button>
  );
}
