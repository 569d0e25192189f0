// Suspends an object, with a dialog for the reason, or resumes it.
import type { Resource } from '@svc/shared/resource';
import { Pause, Play } from 'lucide-react';
import { kindNamed } from '../../../kinds/kind-table.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button, type ButtonProps } from '../../../ui/button/Button.tsx';
import { isSuspended } from '../object-traits.ts';
import { useObjectActions } from '../use-object-actions.tsx';

export interface SuspendButtonProps extends Pick<ButtonProps, 'size'> {
  readonly resource: Resource;
  readonly scope: string;
}

export function SuspendButton({ resource, scope, size }: SuspendButtonProps) {
  const { ask, dialogs } = useObjectActions({ kind: kindNamed(resource.kind) as KindSummary, scope });
  const { reason } = useCanWrite();
  const suspended = isSuspended(resource);
  return (
    <>
      <Button
        size={size}
        variant={suspended ? 'primary' : 'secondary'}
        icon={suspended ? <Play /> : <Pause />}
        disabledReason={reason}
        onClick={() => ask(suspended ? 'resume' : 'suspend', [resource])}
      >
        {suspended ? 'Resume' : 'Suspend'}
      </Button>
      {dialogs}
    </>
  );
}
