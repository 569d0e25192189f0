// Form for the first admin of a server, who is signed in then.
import { useMutation } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { setUp } from '../../sign-in/sign-in.ts';
import { NewPasswordFields } from '../../sign-in/NewPasswordFields.tsx';
import { newPasswordProblem } from '../../sign-in/new-password.ts';
import { Button } from '../../ui/button/Button.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Form } from '../../ui/input/Form.tsx';

export function SetupForm({ needsToken }: { readonly needsToken: boolean }) {
  const [token, setToken] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState({ next: '', again: '' });
  const [submitted, setSubmitted] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const create = useMutation({
    mutationFn: () => setUp({ username: username.trim(), password: password.next, ...(needsToken && { setup_token: token.trim() }) }),
    gcTime: 0,
  });
  const nameProblem = username.trim().length < 3 ? 'At least 3 letters, digits, ".", "_", "-" or "@".' : undefined;
  const tokenProblem = needsToken && token.trim() === '' ? 'The server was started with a setup token; enter it.' : undefined;
  const onSubmit = () => {
    setSubmitted(true);
    if (!nameProblem && !tokenProblem && !newPasswordProblem(password) && !create.isPending) create.mutate();
  };
  return (
    <Form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {needsToken && (
        <Field label="Setup token" hint="The value of SVC_SETUP_TOKEN on the server." error={submitted ? tokenProblem : undefined}>
          <Input ref={first} mono type="password" autoComplete="off" value={token} onChange={(event) => setToken(event.target.value)} />
        </Field>
      )}
      <Field label="Name" hint="Shown in approvals and audit logs." error={submitted ? nameProblem : undefined}>
        <Input
          ref={needsToken ? undefined : first}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
      </Field>
      <NewPasswordFields value={password} onChange={setPassword} submitted={submitted} />
      {create.error && <ErrorCard error={create.error} title="Setup failed" />}
      <Button type="submit" variant="primary" size="lg" busy={create.isPending} icon={<UserPlus />}>
        Create the admin
      </Button>
    </Form>
  );
}
