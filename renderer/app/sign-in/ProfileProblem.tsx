// Screen for another server that cannot be shown: the reason, and the ways on.
import type { ProfileTest } from '@svc/shared/control';
import { ExternalLink, House, RotateCw } from 'lucide-react';
import { usePageTitle } from '../../navigation/page-title.ts';
import { Button } from '../../ui/button/Button.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { DescriptionList } from '../../ui/layout/DescriptionList.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { shownError } from '../../ui/feedback/shown-error.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { FullScreen } from './FullScreen.tsx';

export interface ProfileStatus extends ProfileTest {
  readonly name: string;
  readonly origin: string;
}

export interface ProfileProblemProps {
  /** Undefined: the gateway itself gave no status. */
  readonly status: ProfileStatus | undefined;
  readonly error: unknown;
  readonly retrying: boolean;
  readonly onRetry: () => void;
  /** Undefined where the address cannot be opened from here. */
  readonly onOpenOutside: ((url: string) => void) | undefined;
  /** Shows the server of this machine instead. */
  readonly onLeave: () => void;
}

const TITLES: Readonly<Record<ProfileTest['state'], string>> = {
  ready: 'Connected',
  unreachable: 'This server does not answer',
  refused: 'This server refuses the token',
  incompatible: 'This server has another version',
  foreign: 'No server of this kind at this address',
  untrusted: 'This server cannot be trusted',
};

const HINTS: Readonly<Record<ProfileTest['state'], string>> = {
  ready: '',
  unreachable: 'Check that it runs and that this machine reaches it, by VPN for example.',
  refused: 'Create a token on that server, and store it under Settings → Desktop app of this machine.',
  incompatible: 'Its own console has the right version: open it in the browser.',
  foreign: 'Check the address under Settings → Desktop app of this machine.',
  untrusted: 'The token was not sent. Check the address and the certificate under Settings → Desktop app of this machine.',
};

export function ProfileProblem({ status, error, retrying, onRetry, onOpenOutside, onLeave }: ProfileProblemProps) {
  const title = status ? TITLES[status.state] : 'The other server could not be reached';
  usePageTitle(title);
  return (
    <FullScreen
      title={title}
      description={
        status ? (
          <>
            <UntrustedText text={`${status.message}.`} /> {HINTS[status.state]}
          </>
        ) : (
          shownError(error).message
        )
      }
    >
      {status && (
        <DescriptionList
          items={[
            { term: 'Server', detail: status.name },
            { term: 'Address', detail: <Mono>{status.origin}</Mono> },
          ]}
        />
      )}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button variant="primary" icon={<House />} onClick={onLeave}>
          Show the server of this machine
        </Button>
        <Button icon={<RotateCw />} busy={retrying} onClick={onRetry}>
          Try again
        </Button>
        {status?.state === 'incompatible' && !onOpenOutside && <CopyButton words label="Copy its address" text={status.origin} />}
        {status?.state === 'incompatible' && onOpenOutside && (
          <Button icon={<ExternalLink />} onClick={() => onOpenOutside(status.origin)}>
            Open its console in the browser
          </Button>
        )}
      </div>
    </FullScreen>
  );
}
