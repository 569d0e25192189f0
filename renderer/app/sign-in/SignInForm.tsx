// Form for an API token. The token stays in the field only, and only until it was sent.
import { LogIn } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Input } from '../../ui/Input.tsx';
import { shownError } from '../../ui/shown-error.ts';
import { signIn } from '../../sign-in/sign-in.ts';

export function SignInForm({ onSignedIn }: { readonly onSignedIn?: () => void }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() === '' || busy) {
      setProblem('Paste an API token first.');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(token.trim());
      setToken('');
      onSignedIn?.();
    } catch (error) {
      const { code, message } = shownError(error);
      setProblem(code === 'unauthorized' ? 'The server does not know this token. It may be wrong or deleted.' : message);
      input.current?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="API token"
        error={problem}
        hint={
          <>
            An admin makes one with <code className="font-mono text-text">npx svcctl tokens create</code>, or under Settings. It is
            exchanged for a sign-in cookie and not kept by this page.
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
      <Button type="submit" variant="primary" size="lg" busy={busy} icon={<LogIn />}>
        Sign in
      </Button>
    </form>
  );
}
