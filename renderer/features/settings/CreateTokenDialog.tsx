// Creates a token and shows it once. The first one enables sign-in, which is explained and confirmed before; then this page signs in with
// it.
import { useMutation } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { signIn } from '../../sign-in/sign-in.ts';
import { client } from '../../live/api.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { FormButtons } from '../../ui/input/FormButtons.tsx';
import { Checkbox } from '../../ui/input/Checkbox.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { RadioGroup } from '../../ui/input/RadioGroup.tsx';
import { roleOptions, tokenProblem, type TokenRequest } from './token-request.ts';
import { Form } from '../../ui/input/Form.tsx';

export interface CreateTokenDialogProps {
  /** No token exists yet: this one makes the server require sign-in. */
  readonly turnsAuthOn: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

interface CreatedToken {
  readonly name: string;
  readonly token: string;
  /** This page could not sign in with it, and the server now requires it. */
  readonly signedOut: boolean;
}

/** The first token locks this page out as well, so the page signs in with it at once: before anything covers the only view of the token. */
async function enter(token: string): Promise<boolean> {
  return signIn({ token }).then(
    () => true,
    () => false,
  );
}

export function CreateTokenDialog({ turnsAuthOn, onClose, onCreated }: CreateTokenDialogProps) {
  const [first] = useState(turnsAuthOn);
  const create = useCreateToken(first);
  const made = create.data;
  const finish = () => {
    onCreated();
    onClose();
  };
  return (
    <Dialog
      open
      onClose={finish}
      closable={made === undefined && !create.isPending}
      title={made ? `Token ${made.name}` : 'New API token'}
      description={made ? 'It is shown only once. The server stores only a hash.' : undefined}
    >
      {made ? <ShowToken made={made} onDone={finish} /> : <TokenForm first={first} create={create} onCancel={onClose} />}
    </Dialog>
  );
}

function useCreateToken(first: boolean) {
  return useMutation({
    mutationFn: async ({ name, role, systems }: TokenRequest): Promise<CreatedToken> => {
      const a2a = role === 'a2a' && { a2a_agent_systems: systems.split(/[\s,]+/).filter((each) => each !== '') };
      const { token } = await client.tokens.create.mutate({ name, role, ...a2a });
      return { name, token, signedOut: first && !(await enter(token)) };
    },
    // The answer contains the token, which is discarded when the dialog closes.
    gcTime: 0,
  });
}

interface TokenFormProps {
  readonly first: boolean;
  readonly create: ReturnType<typeof useCreateToken>;
  readonly onCancel: () => void;
}

function TokenForm({ first, create, onCancel }: TokenFormProps) {
  const [draft, setDraft] = useState<TokenRequest>({ name: '', role: first ? 'admin' : 'writer', systems: '', understood: false });
  const [submitted, setSubmitted] = useState(false);
  const { reason } = useCanWrite('admin');
  const change = (next: Partial<TokenRequest>) => setDraft((before) => ({ ...before, ...next }));
  const problem = tokenProblem(draft, first);
  const submit = () => {
    setSubmitted(true);
    if (problem === undefined && !create.isPending) create.mutate(draft);
  };
  const errorAt = (field: string) => (submitted && problem?.field === field ? problem.message : undefined);
  return (
    <Form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field label="Name" hint="Shown in audit logs and decision records." required error={errorAt('name')}>
        <Input mono value={draft.name} onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <div>
        <p className="mb-2 text-sm font-medium">Role</p>
        <RadioGroup label="Role" value={draft.role} options={roleOptions(first)} onChange={(role) => change({ role })} />
      </div>
      {draft.role === 'a2a' && (
        <Field
          label="Agent systems"
          hint="Systems it may call, as namespace/name, separated by spaces."
          required
          error={errorAt('systems')}
        >
          <Input mono value={draft.systems} onChange={(event) => change({ systems: event.target.value })} />
        </Field>
      )}
      {first && (
        <div className="rounded-md bg-warn-soft p-3">
          <p className="mb-2 text-pretty">
            This is the first token. From now on the server requires sign-in: svcctl, programs and open pages without a token are refused.
            It must be an admin, because only an admin can create further tokens.
          </p>
          <Checkbox
            checked={draft.understood}
            onChange={(understood) => change({ understood })}
            label="I understand: this turns sign-in on, and it cannot be turned off here"
          />
          {errorAt('understood') !== undefined && (
            <p role="alert" className="mt-1 text-sm text-danger">
              {errorAt('understood')}
            </p>
          )}
        </div>
      )}
      {create.error && <ErrorCard error={create.error} title="The token was not created" />}
      <FormButtons
        submit={first ? 'Create it and turn sign-in on' : 'Create the token'}
        onCancel={onCancel}
        busy={create.isPending}
        disabledReason={reason}
      />
    </Form>
  );
}

function ShowToken({ made, onDone }: { readonly made: CreatedToken; readonly onDone: () => void }) {
  const again = useMutation({ mutationFn: () => signIn({ token: made.token }), onSuccess: onDone });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <Input readOnly mono aria-label="The token" value={made.token} onFocus={(event) => event.target.select()} />
        <CopyButton words label="Copy" text={made.token} />
      </div>
      <Banner tone="warn" className="rounded-md">
        Store it where only its owner can read it. If it is lost, delete it and create another.
      </Banner>
      {again.error && <ErrorCard error={again.error} title="Sign-in failed" />}
      <div className="flex justify-end">
        {made.signedOut ? (
          <Button variant="primary" icon={<LogIn />} busy={again.isPending} onClick={() => again.mutate()}>
            I have saved it: sign in with it
          </Button>
        ) : (
          <Button variant="primary" onClick={onDone}>
            I have saved it
          </Button>
        )}
      </div>
    </div>
  );
}
