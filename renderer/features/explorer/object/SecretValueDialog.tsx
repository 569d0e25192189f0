// Sets one value of a Secret. The typed value stays in this form only and is wiped with it.
import { Eye, EyeOff } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { Resource } from '@svc/shared/resource';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { problemOf } from '../../../live/problem.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';
import { Input } from '../../../ui/Input.tsx';
import { Textarea } from '../../../ui/Textarea.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { setSecretValue } from '../writes.ts';

export interface SecretValueDialogProps {
  readonly secret: Resource;
  /** Empty: the person enters the name. */
  readonly secretKey: string;
  /** Existing keys. */
  readonly keys: readonly string[];
  readonly onClose: () => void;
}

const KEY = /^[A-Za-z0-9._-]{1,253}$/;

export function SecretValueDialog({ secret, secretKey, keys, onClose }: SecretValueDialogProps) {
  const fresh = secretKey === '';
  return (
    <Dialog
      open
      onClose={onClose}
      title={fresh ? `Set a value of ${secret.metadata.name}` : `Replace the value of ${secretKey}`}
      description="The server stores it encrypted. It cannot be read back."
    >
      <ValueForm secret={secret} secretKey={secretKey} keys={keys} onClose={onClose} />
    </Dialog>
  );
}

function ValueForm({ secret, secretKey, keys, onClose }: SecretValueDialogProps) {
  const { reason } = useCanWrite();
  const fresh = secretKey === '';
  const [key, setKey] = useState(fresh && keys.length === 0 ? 'value' : secretKey);
  const [value, setValue] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const keyProblem = key !== '' && !KEY.test(key) ? 'Use letters, digits, ".", "_" and "-".' : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key === '' || value === '' || keyProblem !== undefined) return;
    setBusy(true);
    const refused = await setValueOf(secret, key, value);
    if (refused === undefined) {
      setValue('');
      onClose();
    }
    setFailure(refused);
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
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
      <Field
        label="Value"
        required
        error={failure}
        hint="Plain text. Show the value to enter line breaks."
        aside={
          <IconButton
            size="sm"
            label={shown ? 'Hide the value' : 'Show the value'}
            icon={shown ? <EyeOff /> : <Eye />}
            onClick={() => setShown(!shown)}
          />
        }
      >
        <ValueInput shown={shown} value={value} onChange={setValue} />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose} disabled={busy}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={key === '' || value === '' || keyProblem !== undefined}
          disabledReason={reason}
        >
          Set the value
        </Button>
      </div>
    </form>
  );
}

/** Error of the server; undefined when the value is set. */
async function setValueOf(secret: Resource, key: string, value: string): Promise<string | undefined> {
  try {
    await setSecretValue(secret, key, value);
    toastDone(`${key} of ${secret.metadata.name} is set`);
    return undefined;
  } catch (error) {
    return problemOf(error).message;
  }
}

interface ValueInputProps {
  readonly shown: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ValueInput({ shown, value, onChange }: ValueInputProps) {
  if (shown) return <Textarea mono value={value} onChange={(event) => onChange(event.target.value)} />;
  return <Input mono type="password" autoComplete="new-password" value={value} onChange={(event) => onChange(event.target.value)} />;
}
