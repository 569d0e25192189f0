// Screen before the console: setup of the first admin, or sign-in. The address stays the requested one.
import { consolePath, serverName } from '../../ui/link/base-path.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useAuthConfig } from '../../sign-in/use-auth-config.ts';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { FullScreen } from './FullScreen.tsx';
import { SetupForm } from './SetupForm.tsx';
import { SignInForm } from './SignInForm.tsx';

export function SignInScreen() {
  const { data, isPending } = useAuthConfig();
  const setup = data?.setup_required === true;
  usePageTitle(setup ? 'Set up' : 'Sign in');
  const requestedPath = consolePath(window.location.pathname);
  const host = serverName();
  return (
    <FullScreen
      title={setup ? 'Set up this server' : 'Sign in'}
      description={setup ? `Create the first admin of ${host}. Admins create further users.` : `Sign in to ${host}.`}
      footer={requestedPath === '/' ? undefined : <>You return to {requestedPath} after signing in.</>}
    >
      {isPending ? (
        <Spinner label="Reading how to sign in" className="size-5" />
      ) : setup ? (
        <SetupForm needsToken={data.setup_token_required} />
      ) : (
        <SignInForm passwords={data?.login_methods.includes('password') ?? false} />
      )}
    </FullScreen>
  );
}
