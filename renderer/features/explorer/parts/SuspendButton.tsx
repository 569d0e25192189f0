// Opens the dialog that suspends an object, or resumes it.
import type { Resource } from '@svc/shared/resource';
import { Pause, Play } from 'lucide-react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button, type ButtonProps } from '../../../ui/button/Button.tsx';
import { isSuspended } from '../object-traits.ts';
import type { ObjectActions } from './use-object-actions.tsx';

export interface SuspendButtonProps extends Pick<ButtonProps, 'size'>, Pick<ObjectActions, 'ask'> {
  readonly resource: Resource;
}

export function SuspendButton({ resource, ask, size }: SuspendButtonProps) {
  const { reason } = useCanWrite();
  const suspended = isSuspended(resource);
  return (
    <Button
      size={size}
      variant={suspended ? 'primary' : 'secondary'}
      icon={suspended ? <Play /> : <Pause />}
      disabledReason={reason}
      onClick={() => ask(suspended ? 'resume' : 'suspend', [resource])}
    >
      {suspended ? 'Resume' : 'Suspend'}
    </Button>
  );
}
