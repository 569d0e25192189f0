// Button that creates a Secret with one value, beside the field that names it.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { NewSecretDialog } from './NewSecretDialog.tsx';

export interface NewSecretButtonProps {
  readonly namespace: string;
  readonly onCreated: (name: string) => void;
}

export function NewSecretButton({ namespace, onCreated }: NewSecretButtonProps) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Plus />} disabledReason={reason} onClick={() => setOpen(true)}>
        New Secret
      </Button>
      {open && (
        <NewSecretDialog
          namespace={namespace}
          onClose={() => setOpen(false)}
          onCreated={(created) => {
            setOpen(false);
            onCreated(created);
          }}
        />
      )}
    </>
  );
}
