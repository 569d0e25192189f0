// Form of one server of the window: name, address, token, pinned certificate. Saved after a test of its server, or in spite of the result.
import { useMutation } from '@tanstack/react-query';
import type { DesktopApi, ListedProfile } from '@svc/shared/desktop-api';
import { useState } from 'react';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { FormButtons } from '../../ui/input/FormButtons.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { draftProblem, EMPTY_SERVER, profileOf, type ServerDraft } from './server-draft.ts';
import { Form } from '../../ui/input/Form.tsx';

export interface ServerDialogProps {
  readonly desktop: DesktopApi;
  /** Undefined: a new one. */
  readonly profile: ListedProfile | undefined;
  /** Ids of all profiles. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function ServerDialog({ desktop, profile, taken, onClose, onSaved }: ServerDialogProps) {
  const [draft, setDraft] = useState<ServerDraft>(
    profile ? { name: profile.name, address: profile.origin, token: '', fingerprint: profile.fingerprint ?? '' } : EMPTY_SERVER,
  );
  const [submitted, setSubmitted] = useState(false);
  const test = useMutation({ mutationFn: (given: ServerDraft) => desktop.profiles.test(profileOf(given, profile?.id, taken)), gcTime: 0 });
  const save = useMutation({
    mutationFn: (given: ServerDraft) => desktop.profiles.save(profileOf(given, profile?.id, taken)),
    onSuccess: () => {
      onSaved();
      onClose();
    },
    gcTime: 0,
  });
  const change = (next: Partial<ServerDraft>) => {
    setDraft((before) => ({ ...before, ...next }));
    test.reset();
  };
  const problem = draftProblem(draft);
  const checked = (run: () => void) => {
    setSubmitted(true);
    if (problem === undefined) run();
  };
  const submit = () => checked(() => save.mutate(draft));
  const errorAt = (field: keyof ServerDraft) => (submitted && problem?.field === field ? problem.message : undefined);
  const keeps = profile?.hasToken === true && profile.origin === profileOf(draft, profile.id, taken).origin;
  return (
    <Dialog open onClose={onClose} closable={!save.isPending} title={profile ? `Server ${profile.name}` : 'Add a server'}>
      <Form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <ServerFields draft={draft} keepsToken={keeps} errorAt={errorAt} onChange={change} />
        {test.data && (
          <Banner tone={test.data.ok ? 'ok' : 'warn'} className="rounded-md">
            {test.data.message}.
          </Banner>
        )}
        {test.error && <ErrorCard error={test.error} title="The server could not be tested" />}
        {save.error && <ErrorCard error={save.error} title="The server was not saved" />}
        <FormButtons submit="Save" onCancel={onClose} busy={save.isPending}>
          <Button className="mr-auto" busy={test.isPending} onClick={() => checked(() => test.mutate(draft))}>
            Test
          </Button>
        </FormButtons>
      </Form>
    </Dialog>
  );
}

interface ServerFieldsProps {
  readonly draft: ServerDraft;
  /** The stored token is used where none is entered. */
  readonly keepsToken: boolean;
  readonly errorAt: (field: keyof ServerDraft) => string | undefined;
  readonly onChange: (changes: Partial<ServerDraft>) => void;
}

function ServerFields({ draft, keepsToken, errorAt, onChange: change }: ServerFieldsProps) {
  return (
    <>
      <Field label="Name" required error={errorAt('name')}>
        <Input value={draft.name} placeholder="Staging" onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <Field label="Address" hint="As in a browser, with its path if it has one." required error={errorAt('address')}>
        <Input mono value={draft.address} placeholder="https://svc.example" onChange={(event) => change({ address: event.target.value })} />
      </Field>
      <Field
        label="API token"
        hint={
          keepsToken
            ? 'Leave it empty to keep the stored token.'
            : 'Create it under API tokens on that server. Its role is your role there.'
        }
        error={errorAt('token')}
      >
        <Input mono type="password" autoComplete="off" value={draft.token} onChange={(event) => change({ token: event.target.value })} />
      </Field>
      <Field
        label="Fingerprint of its certificate"
        hint="Only for a certificate that this machine does not trust: its SHA-256, in hexadecimal."
        error={errorAt('fingerprint')}
      >
        <Input mono value={draft.fingerprint} onChange={(event) => change({ fingerprint: event.target.value })} />
      </Field>
    </>
  );
}
