// Starts a Session with a system and opens its composer.
import { useMutation } from '@tanstack/react-query';
import { MessageSquarePlus } from 'lucide-react';
import type { ReactNode } from 'react';
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
  const { mutate, isPending } = useMutation({ mutationFn: () => startWith(system, sessionName) });
  const start = () => !isPending && mutate();
  const { namespace, name } = system;
  useShortcut({
    id: `session.start.${namespace}/${name}`,
    label: `Chat with ${name}`,
    when: reason === undefined,
    run: start,
  });
  return (
    <Button icon={<MessageSquarePlus />} busy={isPending} disabledReason={reason} onClick={start}>
      {label}
    </Button>
  );
}
