// Confirms the cancellation of a run.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { client } from '../../../live/api.ts';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { batchText } from './batch.ts';
import type { Run } from '../model/run.ts';

export function CancelDialog({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const { reason: writeBlock } = useCanWrite();
  const { namespace, name, uid } = run.metadata;
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel.mutate({ namespace, name, uid, ...(reason.trim() !== '' && { reason: reason.trim() }) }),
    onSuccess: onClose,
  });
  const words = batchText('cancel', { able: [run], left: [] });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => cancel.mutate()}
      title={`Cancel ${name}?`}
      consequence={words.consequence}
      confirmLabel="Cancel the run"
      cancelLabel="Keep running"
      busy={cancel.isPending}
      disabledReason={writeBlock}
    >
      <Field label="Reason" hint="Kept in the record of the run.">
        <Input value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {cancel.error !== null && <ErrorCard title="The run could not be cancelled" error={cancel.error} />}
    </ConfirmDialog>
  );
}
