// Button that creates the template of a schedule or webhook, beside the field that names it and where it is missing.
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button, type ButtonProps } from '../../../ui/button/Button.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const NewTemplateDialog = lazyPart(async () => (await import('./NewTemplateDialog.tsx')).NewTemplateDialog);

export interface NewTemplateButtonProps {
  readonly namespace: string;
  readonly name?: string;
  readonly label?: string;
  readonly variant?: ButtonProps['variant'];
  readonly onCreated?: (name: string) => void;
}

export function NewTemplateButton({ namespace, name = '', label = 'New template', variant, onCreated }: NewTemplateButtonProps) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Plus />} {...(variant && { variant })} disabledReason={reason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Suspense>
          <NewTemplateDialog
            namespace={namespace}
            name={name}
            onClose={() => setOpen(false)}
            onCreated={(created) => {
              setOpen(false);
              onCreated?.(created);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
