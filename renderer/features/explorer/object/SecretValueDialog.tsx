// Sets one value of a Secret, or of a SealedSecret, for which it is sealed here. The typed value stays in this form only and is wiped with it.
import { useState } from 'react';
import type { Resource } from '@svc/shared/resource';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { isWriteOnly } from '../../../kinds/kind-table.ts';
import { problemOf } from '../../../live/problem.ts';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { ENTRY_KEY, sealingProblem } from '../../sealing/model/seal.ts';
import { ValueField } from '../../sealing/parts/ValueField.tsx';
import { ValueStorage } from '../../sealing/parts/ValueStorage.tsx';
import { setSecretValue } from '../writes.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface SecretValueDialogProps {
  readonly secret: Resource;
  /** Empty: the person enters the name. */
  readonly secretKey: string;
  /** Existing keys. */
  readonly keys: readonly string[];
  readonly onClose: () => void;
}

export function SecretValueDialog(props: SecretValueDialogProps) {
  const { secret, secretKey, onClose } = props;
  const fresh = secretKey === '';
  // Neither the value nor the outcome is kept with the request.
  const set = useMutation({ mutationFn: (write: () => Promise<void>) => write(), onSuccess: onClose, gcTime: 0 });
  return (
    <Dialog
      open
      onClose={onClose}
      closable={!set.isPending}
      title={fresh ? `Set a value of ${secret.metadata.name}` : `Replace the value of ${secretKey}`}
      description={
        isWriteOnly(secret.kind) ? (
          <>
            It cannot be read back. <ValueStorage />
          </>
        ) : (
          'It is encrypted in this page. Only this server opens it, under this name and namespace.'
        )
      }
    >
      <ValueForm {...props} set={set} />
    </Dialog>
  );
}

interface ValueFormProps extends SecretValueDialogProps {
  readonly set: UseMutationResult<void, unknown, () => Promise<void>>;
}

function ValueForm({ secret, secretKey, keys, onClose, set }: ValueFormProps) {
  const { reason } = useCanWrite();
  const fresh = secretKey === '';
  const [key, setKey] = useState(fresh && keys.length === 0 ? 'value' : secretKey);
  const [value, setValue] = useState('');
  const keyProblem = key !== '' && !ENTRY_KEY.test(key) ? 'Use letters, digits, ".", "_" and "-".' : undefined;
  const write = async () => {
    await setSecretValue(secret, key, value);
    toastDone(`${key} of ${secret.metadata.name} is set`);
  };
  const submit = () => {
    if (key !== '' && value !== '' && keyProblem === undefined) set.mutate(write);
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      {fresh && (
        <Field
          label="Key"
          required
          error={keyProblem}
          hint={keys.includes(key) ? 'This key is set already; its value is replaced.' : 'References without a key use “value”.'}
        >
          <Input mono value={key} onChange={(event) => setKey(event.target.value)} />
        </Field>
      )}
      <ValueField
        label="Value"
        error={set.error ? problemOf(set.error).message : undefined}
        hint="Plain text. Show the value to enter line breaks."
        value={value}
        onChange={setValue}
      />
      <FormButtons
        submit="Set the value"
        onCancel={onClose}
        busy={set.isPending}
        disabled={key === '' || value === '' || keyProblem !== undefined}
        disabledReason={reason ?? (isWriteOnly(secret.kind) ? undefined : sealingProblem())}
      />
    </Form>
  );
}
