// Suspends objects, with a reason, or resumes several, after a confirmation.
import type { Resource } from '@svc/shared/resource';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { toastDone } from '../../ui/overlay/toast.ts';
import { useBatch } from '../../ui/table/use-batch.ts';
import { isSuspended, keyText } from './object-traits.ts';
import { ObjectBatchDialog } from './ObjectBatchDialog.tsx';
import { countOf } from './object-text.ts';
import { setSuspended } from './writes.ts';

/** As in the reason of a cancelled run. */
const REASON_MAX_CHARS = 1_000;

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
  const [reason, setReason] = useState('');
  const one = resources.length === 1 ? resources[0] : undefined;
  const what = one ? one.metadata.name : countOf(kind, resources.length);
  if (batch.progress) {
    const title = `${suspend ? 'Suspending' : 'Resuming'} ${what}`;
    return <ObjectBatchDialog title={title} resources={resources} batch={batch} progress={batch.progress} onClose={onClose} />;
  }
  const already = resources.filter((each) => isSuspended(each) === suspend).length;
  const confirm = () =>
    batch.start(resources, async (each) => {
      await setSuspended(queryClient, each, { suspend, reason: reason.trim() });
      if (!one) return;
      toastDone(`${one.metadata.name} is suspended`);
      onClose();
    });
  return (
    <ConfirmDialog
      open
      danger={false}
      onClose={onClose}
      onConfirm={confirm}
      title={`${suspend ? 'Suspend' : 'Resume'} ${what}?`}
      consequence={
        suspend
          ? `No new work starts until ${one ? 'it is' : 'they are'} resumed. Work in progress continues.`
          : 'Work starts again at once. Missed runs start only within their deadline.'
      }
      confirmLabel={suspend ? 'Suspend' : 'Resume'}
      cancelLabel="Cancel"
      disabledReason={write.reason}
    >
      {suspend && (
        <Field label="Reason" hint={`Shown on ${one ? 'its page' : 'their pages'} until the end of the suspension.`}>
          <Input data-autofocus value={reason} maxLength={REASON_MAX_CHARS} onChange={(event) => setReason(event.target.value)} />
        </Field>
      )}
      {already > 0 && (
        <p className="text-base text-muted">
          {already} of them {already === 1 ? 'is' : 'are'} {suspend ? 'suspended' : 'running'} already and{' '}
          {already === 1 ? 'stays' : 'stay'} so.
        </p>
      )}
    </ConfirmDialog>
  );
}
