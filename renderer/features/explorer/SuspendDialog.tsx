// Suspends or resumes several objects, after a confirmation.
import type { Resource } from '@svc/shared/resource';
import { useQueryClient } from '@tanstack/react-query';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { useBatch } from '../../ui/table/use-batch.ts';
import { isSuspended, keyText } from './object-traits.ts';
import { ObjectBatchDialog } from './ObjectBatchDialog.tsx';
import { countOf } from './object-text.ts';
import { setSuspended } from './writes.ts';

export interface SuspendDialogProps {
  readonly kind: string;
  readonly resources: readonly Resource[];
  readonly suspend: boolean;
  readonly onClose: () => void;
}

export function SuspendDialog({ kind, resources, suspend, onClose }: SuspendDialogProps) {
  const queryClient = useQueryClient();
  const write = useCanWrite();
  const batch = useBatch(keyText);
  const what = countOf(kind, resources.length);
  if (batch.progress) {
    const title = `${suspend ? 'Suspending' : 'Resuming'} ${what}`;
    return <ObjectBatchDialog title={title} resources={resources} batch={batch} progress={batch.progress} onClose={onClose} />;
  }
  const already = resources.filter((each) => isSuspended(each) === suspend).length;
  return (
    <ConfirmDialog
      open
      danger={false}
      onClose={onClose}
      onConfirm={() => batch.start(resources, (each) => setSuspended(queryClient, each, suspend))}
      title={`${suspend ? 'Suspend' : 'Resume'} ${what}?`}
      consequence={
        suspend
          ? 'No new work starts until they are resumed. Work in progress continues.'
          : 'Work starts again at once. Missed runs start only within their deadline.'
      }
      confirmLabel={suspend ? 'Suspend' : 'Resume'}
      cancelLabel="Cancel"
      disabledReason={write.reason}
    >
      {already > 0 && (
        <p className="text-base text-muted">
          {already} of them {already === 1 ? 'is' : 'are'} {suspend ? 'suspended' : 'running'} already and{' '}
          {already === 1 ? 'stays' : 'stay'} so.
        </p>
      )}
    </ConfirmDialog>
  );
}
