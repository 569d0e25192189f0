// Asks before an entry is deleted.
import { useMutation } from '@tanstack/react-query';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { useEntryWrites, type MemoryRef } from '../model/use-entries.ts';

export interface DeleteEntryDialogProps {
  readonly memory: MemoryRef;
  readonly entryKey: string;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

export function DeleteEntryDialog({ memory, entryKey, onClose, onGone }: DeleteEntryDialogProps) {
  const { reason } = useCanWrite();
  const { remove } = useEntryWrites(memory);
  const confirm = useMutation({
    mutationFn: () => remove(entryKey),
    onSuccess: () => {
      toastDone('The entry is deleted');
      onGone();
    },
    onError: (error) => toastError('The entry was not deleted', error),
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => confirm.mutate()}
      busy={confirm.isPending}
      disabledReason={reason}
      title={
        <>
          Delete <UntrustedText text={entryKey} />?
        </>
      }
      consequence="Agents no longer find it. This cannot be undone."
      confirmLabel="Delete"
      danger
    />
  );
}
