// The answer, large: the verdict, the deciding rule, all findings, and the required changes.
import type { AccessCheckAnswer, AccessFinding, AccessVerdict } from '@svc/shared/api/access';
import { describeKey, type ResourceKey } from '@svc/shared/resource';
import { CircleCheck, CircleSlash, CircleUser, FlaskConical, Lightbulb, Pencil } from 'lucide-react';
import { useContext } from 'react';
import { verdictKinds } from '../../kinds/kind-table.ts';
import { objectAddress } from '../../navigation/addresses.ts';
import { Badge } from '../../ui/status/Badge.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { cn } from '../../ui/cn.ts';
import { formatNumber } from '../../ui/status/format.ts';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { INK, SOFT, type Tone } from '../../ui/status/tone.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { hintsOf, samePlace, unrunnableTool, VERDICT_LOOK, type Verdict } from './check.ts';
import { DraftedRules, RuleName } from './parts/RuleName.tsx';

export const VERDICT_ICONS = { allow: CircleCheck, approval_required: CircleUser, deny: CircleSlash } as const;

export interface VerdictCardProps {
  readonly answer: AccessCheckAnswer;
  readonly scope: string;
  /** Puts the blocking object into the what-if. */
  readonly onTry?: (object: ResourceKey) => void;
}

export function VerdictCard({ answer, scope, onTry }: VerdictCardProps) {
  const { verdict, message, rule, approval, model, token_limit: limit } = answer;
  const { headline, tone } = VERDICT_LOOK[verdict];
  const Icon = VERDICT_ICONS[verdict];
  const unrunnable = unrunnableTool(answer);
  return (
    <section
      aria-label="Result"
      data-verdict={verdict}
      className="overflow-hidden rounded-lg border border-border bg-surface shadow-raised"
    >
      <div className={cn('flex items-start gap-4 p-5', SOFT[tone])}>
        <Icon aria-hidden className="mt-0.5 size-8 shrink-0" />
        <div role="status" className="min-w-0">
          <h2 className="text-xl font-semibold tracking-tight">{headline}</h2>
          {unrunnable !== undefined && (
            <Badge tone={unrunnable === 'now' ? 'warn' : 'danger'} icon={<CircleSlash aria-hidden />}>
              {unrunnable === 'now' ? 'The tool cannot run now' : 'The tool cannot run as configured'}
            </Badge>
          )}
          <p className="mt-1 text-md text-pretty text-text">
            <UntrustedText text={message} />
          </p>
          <p className="mt-2 text-text">
            Decided by <RuleName rule={rule} scope={scope} />
          </p>
          {approval && (
            <p className="mt-1 text-text">
              Expires after {approval.ttl}. Operation: {approval.operation_class}.
              {approval.needs_other === true && ' The approver must not be the person who creates the run or last changed the rule.'}
            </p>
          )}
        </div>
      </div>
      <Hints answer={answer} scope={scope} {...(onTry && { onTry })} />
      <Trace verdict={answer} scope={scope} title="Rules evaluated" />
      {model && (
        <div className="border-t border-border">
          <p className="flex flex-wrap items-center gap-2 px-5 py-4">
            <span className="font-medium">Model</span>
            <Badge tone={VERDICT_LOOK[model.verdict].tone}>{VERDICT_LOOK[model.verdict].word}</Badge>
            <span className="text-muted">
              {model.model} of {model.endpoint}: <UntrustedText text={model.message} />
            </span>
          </p>
          {limit && (
            <p className="px-5 pb-4 text-muted">
              At most {formatNumber(limit.tokens)} tokens in a run, by <RuleName rule={limit.rule} scope={scope} />
            </p>
          )}
          <Trace verdict={model} scope={scope} title="For the model" />
        </div>
      )}
    </section>
  );
}

function Hints({ answer, scope, onTry }: VerdictCardProps) {
  const hints = hintsOf(answer);
  const drafted = useContext(DraftedRules);
  if (hints.length === 0) return null;
  return (
    <div className="border-t border-border px-5 py-4">
      <h3 className="flex items-center gap-2 font-medium">
        <Lightbulb aria-hidden className="size-4 text-warn" />
        {answer.verdict === 'deny' ? 'To allow this call' : 'To allow this call without approval'}
      </h3>
      <ul className="mt-2 flex flex-col gap-2">
        {hints.map(({ text, object }) => (
          <li key={text} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 flex-1 basis-60 text-pretty text-muted">{text}</span>
            {object && onTry && verdictKinds.includes(object.kind) && !drafted.has(describeKey(object)) && (
              <Button size="sm" icon={<FlaskConical />} onClick={() => onTry(object)}>
                Try a change
              </Button>
            )}
            {object && (
              <LinkButton size="sm" icon={<Pencil />} href={objectAddress(object, scope, { tab: 'yaml' })} className="max-w-full">
                <span className="truncate">
                  {object.kind} {object.name}
                </span>
              </LinkButton>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const EFFECTS: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  ...(VERDICT_LOOK as Readonly<Record<Verdict, { word: string; tone: Tone }>>),
  none: { word: 'No effect', tone: 'neutral' },
};

interface TraceProps {
  readonly verdict: AccessVerdict;
  readonly scope: string;
  readonly title: string;
}

function Trace({ verdict: { findings, rule }, scope, title }: TraceProps) {
  return (
    <div className="border-t border-border px-5 py-4">
      <h3 className="font-medium">{title}</h3>
      {findings.length === 0 && <p className="mt-1 text-muted">No matching rule. The server default applies.</p>}
      <ol className="mt-2 flex flex-col">
        {findings.map((finding, index) => (
          <Finding key={index} finding={finding} number={index + 1} decides={samePlace(finding.rule, rule)} scope={scope} />
        ))}
      </ol>
    </div>
  );
}

interface FindingProps {
  readonly finding: AccessFinding;
  readonly number: number;
  readonly decides: boolean;
  readonly scope: string;
}

function Finding({ finding: { rule, effect, message }, number, decides, scope }: FindingProps) {
  const look = EFFECTS[effect] ?? { word: effect, tone: 'neutral' as const };
  return (
    <li
      className={cn(
        'grid grid-cols-[1.5rem_7rem_1fr] items-baseline gap-x-2 border-l-2 py-1.5 pl-3 max-sm:grid-cols-[1.5rem_1fr]',
        decides ? 'border-accent' : 'border-border',
      )}
    >
      <span className="text-sm text-faint tabular-nums">{number}</span>
      <span className={cn('text-sm font-medium', INK[look.tone])}>{look.word}</span>
      <span className="min-w-0 max-sm:col-span-2">
        <RuleName rule={rule} scope={scope} /> {decides && <Badge tone="accent">decides</Badge>}
        <span className="block text-pretty text-muted">
          <UntrustedText text={message} />
        </span>
      </span>
    </li>
  );
}
