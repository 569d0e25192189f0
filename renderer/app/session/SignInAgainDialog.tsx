// The session ended while one was at work. The page behind stays as it is, with all that was written on it.
import { Dialog } from '../../ui/Dialog.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInAgainDialog() {
  return (
    <Dialog
      open
      closable={false}
      onClose={() => undefined}
      size="sm"
      title="Your session is over"
      description="Sign in to go on. What you wrote is still there."
    >
      <SignInForm />
    </Dialog>
  );
}
