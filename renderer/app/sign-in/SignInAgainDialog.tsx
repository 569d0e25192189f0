// Dialog for a sign-in that ended during work, here or elsewhere. The page behind it stays as it is, with everything that was typed.
import { useAuthConfig } from '../../sign-in/use-auth-config.ts';
import { useHello } from '../../sign-in/use-hello.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInAgainDialog() {
  const { data, isPending } = useAuthConfig();
  const username = useHello()?.identity.name;
  return (
    <Dialog
      open
      closable={false}
      onClose={() => undefined}
      size="sm"
      title="Your sign-in has ended"
      description="It expired, or you were signed out elsewhere. Sign in to continue. Your text is still there."
    >
      {isPending ? (
        <Spinner label="Reading how to sign in" className="size-5" />
      ) : (
        <SignInForm passwords={data?.login_methods.includes('password') ?? false} username={username} />
      )}
    </Dialog>
  );
}
