// The current verdict beside the verdict with the change, and the deciding rule of each.
import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { ArrowRight, Equal } from 'lucide-react';
import { cn } from '../../ui/cn.ts';
import { SegmentedControl } from '../../ui/input/SegmentedControl.tsx';
import { INK } from '../../ui/status/tone.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { VERDICT_LOOK } from './check.ts';
import { DraftedRules, RuleName } from './parts/RuleName.tsx';
import { VERDICT_ICONS } from './VerdictCard.tsx';
import { differenceOf } from './what-if.ts';

export type Side = 'now' | 'then';

export interface CompareCardProps {
  readonly now: AccessCheckAnswer;
  readonly then: AccessCheckAnswer;
  readonly scope: string;
  /** Objects of the change. */
  readonly drafted: ReadonlySet<string>;
  /** Side whose details are shown below. */
  readonly side: Side;
  readonly onSide: (side: Side) => void;
}

export function CompareCard({ now, then, scope, drafted, side, onSide }: CompareCardProps) {
  const { changes, text, more } = differenceOf(now, then);
  const Icon = changes ? ArrowRight : Equal;
  return (
    <section aria-label="Now and with the change" className="overflow-hidden rounded-lg border border-border bg-surface shadow-raised">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-border px-4 py-2">
        <Icon aria-hidden className={cn('size-4', changes ? 'text-accent-text' : 'text-muted')} />
        <h2 className="flex-1 basis-40 text-md font-semibold">{text}</h2>
        <SegmentedControl
          label="Details of"
          value={side}
          segments={[
            { value: 'now', label: 'Now' },
            { value: 'then', label: 'With the change' },
          ]}
          onChange={onSide}
        />
      </div>
      <div className="grid divide-border max-sm:divide-y sm:grid-cols-2 sm:divide-x">
        <Half title="Now" answer={now} scope={scope} />
        <DraftedRules value={drafted}>
          <Half title="With the change" answer={then} scope={scope} />
        </DraftedRules>
      </div>
      {more.length > 0 && <p className="border-t border-border px-4 py-2 text-muted">{more.join(' ')}</p>}
    </section>
  );
}

function Half({ title, answer, scope }: { readonly title: string; readonly answer: AccessCheckAnswer; readonly scope: string }) {
  const { headline, tone } = VERDICT_LOOK[answer.verdict];
  const Icon = VERDICT_ICONS[answer.verdict];
  return (
    <div role="group" aria-label={title} data-verdict={answer.verdict} className="min-w-0 p-4">
      <h3 className="text-sm font-medium text-muted">{title}</h3>
      <p className={cn('mt-1 flex items-center gap-2 text-lg font-semibold', INK[tone])}>
        <Icon aria-hidden className="size-5 shrink-0" />
        {headline}
      </p>
      <p className="mt-1 text-pretty">
        <UntrustedText text={answer.message} />
      </p>
      <p className="mt-1 text-sm text-muted">
        Decided by <RuleName rule={answer.rule} scope={scope} />
      </p>
    </div>
  );
}
