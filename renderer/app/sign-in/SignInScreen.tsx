// Sign-in screen, shown in place of every page; the address stays the requested one.

import { usePageTitle } from '../../navigation/page-title.ts';
import { FullScreen } from './FullScreen.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInScreen() {
  usePageTitle('Sign in');
  const requestedPath = window.location.pathname;
  return (
    <FullScreen
      title="Sign in"
      description={`Sign in to ${window.location.host}.`}
      footer={requestedPath === '/' ? undefined : <>You return to {requestedPath} after signing in.</>}
    >
      <SignInForm />
    </FullScreen>
  );
}
