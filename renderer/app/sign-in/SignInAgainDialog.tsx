// Dialog for a sign-in that ended during work. The page behind it stays as it is, with everything that was typed.
import { Dialog } from '../../ui/Dialog.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInAgainDialog() {
  return (
    <Dialog
      open
      closable={false}
      onClose={() => undefined}
      size="sm"
      title="Your sign-in has ended"
      description="Sign in to continue. Your text is still there."
    >
      <SignInForm />
    </Dialog>
  );
}
