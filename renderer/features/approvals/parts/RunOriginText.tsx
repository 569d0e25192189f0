// Origin of a run in one line: the interface, the Session, schedule or webhook behind it, and the requester.
import type { RunOrigin } from '@svc/shared/run-origin';
import { askerTerm } from '@svc/shared/run-origin';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { doorText } from '../model/origin-text.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export function RunOriginText({ origin, scope }: { readonly origin: RunOrigin; readonly scope?: string }) {
  const { door, source, askedBy } = origin;
  return (
    <span className="min-w-0 text-sm text-muted">
      {doorText(door)}
      {source && (
        <>
          {' '}
          <PeekLink className="underline" object={source} {...(scope !== undefined && { scope })}>
            {source.name}
          </PeekLink>
        </>
      )}
      {askedBy !== undefined && (
        <>
          {' · '}
          {askerTerm(origin).toLowerCase()} <UntrustedText text={askedBy} />
        </>
      )}
    </span>
  );
}
