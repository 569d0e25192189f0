// Deletes a token permanently.
import { client } from '../../live/api.ts';
import { useMutation } from '@tanstack/react-query';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { toastDone } from '../../ui/overlay/toast.ts';

export interface DeleteTokenDialogProps {
  /** Undefined: closed. */
  readonly name: string | undefined;
  /** The token of this page's own sign-in. */
  readonly own: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteTokenDialog({ name, own, onClose, onDeleted }: DeleteTokenDialogProps) {
  const { reason } = useCanWrite('admin');
  const remove = useMutation({
    mutationFn: (token: string) => client.tokens.remove.mutate({ name: token }),
    onSuccess: (_, token) => {
      toastDone(`Token ${token} was deleted`);
      close();
      onDeleted();
    },
  });
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      open={name !== undefined}
      onClose={close}
      onConfirm={() => name !== undefined && remove.mutate(name)}
      busy={remove.isPending}
      disabledReason={reason}
      title={`Delete the token ${name ?? ''}?`}
      consequence={`Clients that use it are refused from now on, and sign-ins made with it end.${own ? ' You are signed in with it yourself.' : ''} It cannot be restored.`}
      confirmLabel="Delete the token"
    >
      {remove.error && <ErrorCard error={remove.error} title="The token was not deleted" />}
    </ConfirmDialog>
  );
}
