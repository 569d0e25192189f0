// Creates a Secret with one value, typed or random. The value stays in this form only and is wiped with it.
import { API_VERSION, nameProblem } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { creator } from '../../../live/creator.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { ValueField } from './ValueField.tsx';
import { ValueStorage } from './ValueStorage.tsx';

export interface NewSecretDialogProps {
  readonly namespace: string;
  readonly onCreated: (name: string) => void;
  readonly onClose: () => void;
}

const RANDOM_BYTES = 32;

const randomValue = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('');

export function NewSecretDialog({ namespace, onCreated, onClose }: NewSecretDialogProps) {
  const { reason } = useCanWrite();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [create] = useState(creator);
  const make = useMutation({
    mutationFn: () =>
      create({ apiVersion: API_VERSION, kind: 'Secret', metadata: { name, namespace }, spec: { stringData: { value } } }, { name, value }),
    onSuccess: () => {
      toastDone(`Secret ${name} was created`);
      onCreated(name);
    },
    // The value is not kept with the request.
    gcTime: 0,
  });
  const wrongName = name === '' ? undefined : nameProblem(name);
  const unset = name === '' ? 'Name the Secret' : value === '' ? 'Enter or generate a value' : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!make.isPending}
      title="New Secret"
      description={
        <>
          Its value cannot be read back. <ValueStorage />
        </>
      }
    >
      <Form onSubmit={() => make.mutate()} className="flex flex-col gap-4">
        <Field label="Name" required error={wrongName}>
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <ValueField
          label="Value"
          error={undefined}
          hint="Plain text. Show the value to enter line breaks."
          value={value}
          onChange={setValue}
        />
        <div className="-mt-2 flex flex-wrap gap-2">
          <Button size="sm" disabled={make.isPending} onClick={() => setValue(randomValue())}>
            Generate a value
          </Button>
          {value !== '' && <CopyButton words label="Copy the value" text={value} />}
        </div>
        {make.error !== null && <ErrorCard title="The Secret was not created" error={make.error} />}
        <FormButtons submit="Create" onCancel={onClose} busy={make.isPending} disabledReason={reason ?? unset ?? wrongName} />
      </Form>
    </Dialog>
  );
}
