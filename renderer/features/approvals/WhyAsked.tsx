// Why a person is asked: the words of the rule, and the rule itself.
import { MessageSquareQuote } from 'lucide-react';
import { Link } from '../../ui/Link.tsx';
import { Mono } from '../../ui/Mono.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { objectAddress } from '../../app/addresses.ts';
import { parseRule } from './approval.ts';

export interface WhyAskedProps {
  readonly reason: string;
  readonly rule: string;
}

export function WhyAsked({ reason, rule }: WhyAskedProps) {
  const parsed = parseRule(rule);
  return (
    <div className="flex gap-2 text-base text-muted">
      <MessageSquareQuote aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0">
        <span className="sr-only">Why a person is asked: </span>
        {reason === '' ? 'No reason is given.' : <UntrustedText block text={reason} className="text-text" />}
        {rule !== '' && (
          <p className="text-sm">
            Asked by{' '}
            {parsed ? (
              <>
                <Link className="underline" href={objectAddress(parsed, undefined, { tab: 'yaml', path: parsed.path })}>
                  {parsed.kind} {parsed.name}
                </Link>{' '}
                <Mono>{parsed.path}</Mono>
              </>
            ) : (
              <UntrustedText text={rule} />
            )}
          </p>
        )}
      </div>
    </div>
  );
}
