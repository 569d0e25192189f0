// An untrusted link. It shows its target and asks before it opens.
import { ExternalLink } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { native } from '../../native/native.ts';
import { Button } from '../button/Button.tsx';
import { CopyButton } from '../button/CopyButton.tsx';
import { Dialog } from '../overlay/Dialog.tsx';
import { UntrustedText } from '../text/UntrustedText.tsx';
import { withMarks } from '../text/with-marks.tsx';

export interface OutsideLinkProps {
  readonly href: string;
  readonly children?: ReactNode;
}

/** The address when it may be opened: absolute, http, https or mailto. */
export function openableUrl(href: string): URL | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined;
}

export function OutsideLink({ href, children }: OutsideLinkProps) {
  const [asking, setAsking] = useState(false);
  const url = openableUrl(href);
  if (!url) {
    return (
      <span>
        {withMarks(children)}{' '}
        <span className="text-muted">(link to {href === '' ? 'nothing' : <UntrustedText text={href} />}, not opened)</span>
      </span>
    );
  }
  const canOpen = native.canOpenOutside(url.href);
  const open = () => {
    native.openOutside(url.href);
    setAsking(false);
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)} className="inline text-left text-accent-text underline underline-offset-2">
        {withMarks(children)}
      </button>
      <span className="text-muted"> ({url.protocol === 'mailto:' ? 'mail' : url.host})</span>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={canOpen ? 'Open this link?' : 'This link is not opened'}
        description={`${canOpen ? `It opens ${url.protocol === 'mailto:' ? 'your mail program' : url.host}.` : 'The app opens https addresses only: copy this one into a browser.'} A model, tool or person wrote this link.`}
        footer={
          <>
            <CopyButton words label="Copy address" text={url.href} />
            {canOpen && (
              <Button variant="primary" icon={<ExternalLink />} onClick={open}>
                Open in a new tab
              </Button>
            )}
          </>
        }
      >
        <UntrustedText block mono text={url.href} className="rounded-md bg-sunken p-2" />
      </Dialog>
    </>
  );
}
