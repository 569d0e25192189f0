// Who are you? Shown in place of every page; the address stays the one that was asked for.

import { usePageTitle } from '../../navigation/page-title.ts';
import { FullScreen } from './FullScreen.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInScreen() {
  usePageTitle('Sign in');
  const asked = window.location.pathname;
  return (
    <FullScreen
      title="Sign in"
      description={`This server, ${window.location.host}, wants to know who you are.`}
      footer={asked === '/' ? undefined : <>You will go on to {asked}.</>}
    >
      <SignInForm />
    </FullScreen>
  );
}
