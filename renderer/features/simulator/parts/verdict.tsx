// A verdict of governance on a call, short, with the rule that decided: for lists of tools.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { Badge } from '../../../ui/status/Badge.tsx';
import type { Tone } from '../../../ui/status/tone.ts';
import { RuleName } from './RuleName.tsx';

const VERDICTS: Readonly<Record<AccessCheckAnswer['verdict'], readonly [tone: Tone, words: string]>> = {
  allow: ['ok', 'Allowed'],
  approval_required: ['waiting', 'Needs approval'],
  deny: ['danger', 'Denied'],
};

type Answer = Pick<AccessCheckAnswer, 'verdict' | 'message' | 'rule'>;

export function VerdictBadge({ answer: { verdict, message } }: { readonly answer: Answer }) {
  const [tone, words] = VERDICTS[verdict];
  return (
    <Badge tone={tone} title={message}>
      {words}
    </Badge>
  );
}

export function DecidedBy({ answer: { rule }, scope }: { readonly answer: Answer; readonly scope: string }) {
  return (
    <span className="min-w-0 text-sm text-muted">
      by <RuleName rule={rule} scope={scope} />
    </span>
  );
}
