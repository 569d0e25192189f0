// Account of the person: password and own sign-ins.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../live/api.ts';
import { queryClient } from '../../live/query-client.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { newPasswordProblem } from '../../sign-in/new-password.ts';
import { NewPasswordFields } from '../../sign-in/NewPasswordFields.tsx';
import { changePassword } from '../../sign-in/sign-in.ts';
import { useAuthConfig } from '../../sign-in/use-auth-config.ts';
import { useHello } from '../../sign-in/use-hello.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { toastDone } from '../../ui/overlay/toast.ts';
import { SignInList } from './SignInList.tsx';
import { Form } from '../../ui/input/Form.tsx';

export function AccountPage() {
  usePageTitle('Account');
  const identity = useHello()?.identity;
  const native = useAuthConfig().data?.mode === 'native';
  if (identity?.method !== 'session') {
    return (
      <>
        <PageHeader title="Account" />
        <EmptyState cause="none" title="Nobody is signed in">
          Sign-in is off on this server.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Account" meta={`${identity.name}, role ${identity.role}.`} />
      <div className="flex max-w-3xl flex-col gap-4 px-6 pb-6 max-sm:px-4">
        <Card title="Your sign-ins" flush>
          <SignInList username={identity.name} />
        </Card>
        {native && (
          <Card title="Password">
            <PasswordForm username={identity.name} />
          </Card>
        )}
      </div>
    </>
  );
}

function PasswordForm({ username }: { readonly username: string }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState({ next: '', again: '' });
  const [submitted, setSubmitted] = useState(false);
  const { reason } = useCanWrite('reader');
  const change = useMutation({
    mutationFn: () => changePassword(current, password.next),
    onSuccess: () => {
      setCurrent('');
      setPassword({ next: '', again: '' });
      setSubmitted(false);
      toastDone('Your password was changed; your other sign-ins have ended');
      void queryClient.invalidateQueries({ queryKey: api.signIns.list.queryKey() });
    },
    gcTime: 0,
  });
  const onSubmit = () => {
    setSubmitted(true);
    if (current !== '' && newPasswordProblem(password) === undefined && !change.isPending) change.mutate();
  };
  return (
    <Form onSubmit={onSubmit} noValidate className="flex max-w-sm flex-col gap-4">
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <Field label="Current password" error={submitted && current === '' ? 'Enter your current password.' : undefined}>
        <Input type="password" autoComplete="current-password" value={current} onChange={(event) => setCurrent(event.target.value)} />
      </Field>
      <NewPasswordFields value={password} onChange={setPassword} submitted={submitted} />
      {change.error && <ErrorCard error={change.error} title="The password was not changed" />}
      <div>
        <Button type="submit" variant="primary" busy={change.isPending} disabledReason={reason}>
          Change the password
        </Button>
      </div>
    </Form>
  );
}
