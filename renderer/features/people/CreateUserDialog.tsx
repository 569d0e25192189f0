// Creates a user and shows the generated password once.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../live/api.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { FormButtons } from '../../ui/input/FormButtons.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { RadioGroup } from '../../ui/input/RadioGroup.tsx';
import { ShownPassword } from './ShownPassword.tsx';
import { USER_ROLES } from './user-roles.ts';
import { Form } from '../../ui/input/Form.tsx';

export function CreateUserDialog({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: () => void }) {
  const [username, setUsername] = useState('');
  const [role, setRole] = useState('writer');
  const [submitted, setSubmitted] = useState(false);
  const { reason } = useCanWrite('admin');
  const create = useMutation({
    mutationFn: () => client.users.create.mutate({ username: username.trim(), role }),
    onSuccess: onCreated,
    // The answer contains the password, which is discarded when the dialog closes.
    gcTime: 0,
  });
  if (create.data) {
    return (
      <Dialog open closable={false} onClose={onClose} title={`Password of ${create.data.username}`} description="It is shown only once.">
        <ShownPassword password={create.data.password} onDone={onClose} />
      </Dialog>
    );
  }
  const problem = /^[A-Za-z0-9._@-]{3,64}$/.test(username.trim()) ? undefined : '3 to 64 letters, digits, ".", "_", "-" or "@".';
  const onSubmit = () => {
    setSubmitted(true);
    if (problem === undefined && !create.isPending) create.mutate();
  };
  return (
    <Dialog open onClose={onClose} closable={!create.isPending} title="New user">
      <Form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <Field label="Name" hint="Shown in approvals and audit logs." required error={submitted ? problem : undefined}>
          <Input
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
        </Field>
        <div>
          <p className="mb-2 text-sm font-medium">Role</p>
          <RadioGroup label="Role" value={role} options={USER_ROLES} onChange={setRole} />
        </div>
        {create.error && <ErrorCard error={create.error} title="The user was not created" />}
        <FormButtons submit="Create the user" onCancel={onClose} busy={create.isPending} disabledReason={reason} />
      </Form>
    </Dialog>
  );
}
