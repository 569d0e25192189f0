// Why a person is asked: the words of the rule, and the rule itself.
import { Card } from '../../ui/Card.tsx';
import { Link } from '../../ui/Link.tsx';
import { Mono } from '../../ui/Mono.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { objectAddress } from '../../app/addresses.ts';
import { parseRule } from './approval.ts';

export function RuleCard({ reason, rule }: { readonly reason: string; readonly rule: string }) {
  const parsed = parseRule(rule);
  return (
    <Card title="Why a person is asked">
      {reason === '' ? (
        <p className="text-muted">No reason is given.</p>
      ) : (
        <UntrustedText block text={reason} className="text-base text-text" />
      )}
      {rule !== '' && (
        <p className="mt-2 text-sm text-muted">
          Asked by{' '}
          {parsed ? (
            <>
              <Link href={objectAddress(parsed, undefined, { tab: 'yaml', path: parsed.path })}>
                {parsed.kind} {parsed.namespace}/{parsed.name}
              </Link>{' '}
              <Mono>{parsed.path}</Mono>
            </>
          ) : (
            <UntrustedText text={rule} />
          )}
        </p>
      )}
    </Card>
  );
}
