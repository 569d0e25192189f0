// Form for a name with a password, or for an API token. Secrets stay in their fields only, and only until they were sent.
import { LogIn } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { signIn, type SignInCredential } from '../../sign-in/sign-in.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { shownError } from '../../ui/feedback/shown-error.ts';
import { Form } from '../../ui/input/Form.tsx';

export interface SignInFormProps {
  /** The server has users with passwords. */
  readonly passwords: boolean;
  /** Name that is filled in. */
  readonly username?: string | undefined;
}

export function SignInForm({ passwords, username = '' }: SignInFormProps) {
  const [withToken, setWithToken] = useState(!passwords);
  const form = useSubmit();
  return (
    <div className="flex flex-col gap-4">
      {withToken ? <TokenForm {...form} /> : <PasswordForm {...form} known={username} />}
      {passwords && (
        <Button
          variant="ghost"
          onClick={() => {
            form.setProblem(undefined);
            setWithToken(!withToken);
          }}
        >
          {withToken ? 'Use a name and a password' : 'Use an API token'}
        </Button>
      )}
    </div>
  );
}

interface FormState {
  readonly busy: boolean;
  readonly problem: string | undefined;
  readonly setProblem: (problem: string | undefined) => void;
  /** `refused` is the sentence for invalid credentials. */
  readonly submit: (credential: SignInCredential, refused: string) => Promise<void>;
}

function useSubmit(): FormState {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (credential: SignInCredential, refused: string) => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(credential);
    } catch (error) {
      const { code, message } = shownError(error);
      setProblem(code === 'unauthorized' ? refused : message);
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, setProblem, submit };
}

function TokenForm({ busy, problem, setProblem, submit }: FormState) {
  const [token, setToken] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (problem !== undefined) input.current?.select();
  }, [problem]);
  const onSubmit = () => {
    if (token.trim() === '') setProblem('Paste an API token first.');
    else void submit({ token: token.trim() }, 'The server rejected this token. It may be wrong or deleted.');
  };
  return (
    <Form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <Field
        label="API token"
        error={problem}
        hint={
          <>
            An admin makes one with <code className="font-mono text-text">npx svcctl tokens create</code>, or under Access › API tokens. It
            is exchanged for a sign-in cookie and not kept by this page.
          </>
        }
      >
        <Input
          ref={input}
          mono
          type="password"
          name="token"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </Field>
      <SignInButton busy={busy} />
    </Form>
  );
}

function PasswordForm({ busy, problem, setProblem, submit, known }: FormState & { readonly known: string }) {
  const [username, setUsername] = useState(known);
  const [password, setPassword] = useState('');
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  useEffect(() => (known === '' ? first : second).current?.focus(), [known]);
  useEffect(() => {
    if (problem !== undefined) second.current?.select();
  }, [problem]);
  const onSubmit = () => {
    if (username.trim() === '' || password === '') setProblem('Enter your name and your password.');
    else void submit({ username: username.trim(), password }, 'The name or the password is not correct.');
  };
  return (
    <Form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <Field label="Name">
        <Input
          ref={first}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
      </Field>
      <Field label="Password" error={problem} hint="An admin can reset a forgotten one.">
        <Input
          ref={second}
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <SignInButton busy={busy} />
    </Form>
  );
}

function SignInButton({ busy }: { readonly busy: boolean }) {
  return (
    <Button type="submit" variant="primary" size="lg" busy={busy} icon={<LogIn />}>
      Sign in
    </Button>
  );
}
