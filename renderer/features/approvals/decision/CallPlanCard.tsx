// Exact plan of a call: command or request, its place, the secrets by name, and the isolation.
import { Box, KeyRound, Network, TriangleAlert } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { DescriptionList, type DescriptionItem } from '../../../ui/layout/DescriptionList.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { CallPlan } from '@svc/shared/api/approvals';
import { formatDuration } from '@svc/shared/duration';
import { parseRef } from '@svc/shared/resource';
import { ArgumentList } from './ArgumentList.tsx';
import type { Place } from '../model/approval.ts';
import type { ShownPlan } from './use-call-plan.ts';

export interface CallPlanCardProps {
  readonly title: string;
  readonly plan: CallPlan;
  /** State of the plan for an edited input: being updated, or failed to load. */
  readonly stale: Pick<ShownPlan, 'updating' | 'error'>;
  readonly tool: Place;
  /** Whether the plan is for the tool recorded by the run, and not for the current Tool. */
  readonly ofRun: boolean;
  /** The current Tool has changed, or was deleted. */
  readonly drift: 'changed' | 'deleted' | undefined;
  readonly edited: boolean;
}

export function CallPlanCard({ title, plan, stale, tool, ofRun, drift, edited }: CallPlanCardProps) {
  const link = <PeekLink object={{ kind: 'Tool', ...tool }}>{tool.name}</PeekLink>;
  return (
    <Card title={title} description={edited ? editedText(stale) : undefined} actions={<Badge tone="neutral">{plan.type}</Badge>}>
      <div className="flex flex-col gap-3">
        {plan.command && <ArgumentList command={plan.command} />}
        {plan.request && <RequestLine request={plan.request} />}
        {plan.problems.length > 0 && <Problems plan={plan} />}
        <DescriptionList items={[...factsOf(plan, tool.namespace), { term: 'Tool', detail: link }]} />
        <Origin ofRun={ofRun} drift={drift} />
      </div>
    </Card>
  );
}

function editedText({ updating, error }: CallPlanCardProps['stale']): string {
  if (error != null) return 'The plan with your edited input could not be read; this is the plan of an earlier input.';
  return updating ? 'Planning with your edited input…' : 'With your edited input.';
}

function Problems({ plan }: { readonly plan: CallPlan }) {
  const inArguments = new Set(plan.command?.args.flatMap(({ problem }) => problem ?? []));
  const others = plan.problems.filter((problem) => !inArguments.has(problem));
  return (
    <p role="alert" className="flex gap-1.5 text-danger">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <UntrustedText text={[...others, 'As it is, the call would fail before anything happens.'].join(' ')} />
    </p>
  );
}

function Origin({ ofRun, drift }: Pick<CallPlanCardProps, 'ofRun' | 'drift'>) {
  if (drift === 'deleted')
    return (
      <p className="text-sm text-warn">The tool was deleted after the run began. {ofRun ? 'The run uses its copy, shown here.' : ''}</p>
    );
  if (drift === 'changed')
    return <p className="text-sm text-warn">The tool changed after the run began. The run uses its copy, shown here.</p>;
  if (!ofRun) return <p className="text-sm text-muted">No run is waiting for this call. Shown from the current Tool; nothing will run.</p>;
  return null;
}

function timeLimit({ timeoutMs, maxAttempts }: CallPlan): string {
  return maxAttempts > 1 ? `${formatDuration(timeoutMs)} for each of up to ${maxAttempts} attempts` : formatDuration(timeoutMs);
}

function RequestLine({ request }: { readonly request: NonNullable<CallPlan['request']> }) {
  return (
    <div className="rounded-md border border-border bg-sunken p-3 font-mono text-sm">
      <div className="flex gap-2">
        <span className="font-semibold">{request.method}</span>
        <UntrustedText block dir="ltr" text={request.url} />
      </div>
      <div className="mt-1 text-muted">
        {request.headers.map((name) => (
          <div key={name}>
            <UntrustedText text={name} />: …
          </div>
        ))}
      </div>
    </div>
  );
}

function factsOf(plan: CallPlan, namespace: string): DescriptionItem[] {
  const { isolation, secrets, facts } = plan;
  const risky = isolation.mode === 'none' && plan.type === 'cli';
  return [
    {
      term: 'Isolation',
      detail: (
        <span className="inline-flex flex-wrap items-center gap-1.5">
          <Badge tone={risky ? 'warn' : 'neutral'} icon={<Box />}>
            {isolation.mode}
          </Badge>
          {risky && 'not isolated: runs on the worker with its permissions'}
        </span>
      ),
    },
    {
      term: 'Network',
      detail: (
        <span className="inline-flex items-center gap-1.5">
          <Network aria-hidden className="size-3.5 text-faint" />
          <UntrustedText text={isolation.network} />
        </span>
      ),
    },
    ...[...facts, { term: 'Time limit', text: timeLimit(plan) }].map(({ term, text }) => ({
      term,
      detail: <UntrustedText block={text.includes('\n')} dir="ltr" text={text} className="font-mono text-sm" />,
    })),
    ...(secrets.length === 0
      ? []
      : [
          {
            term: 'Secrets, by name',
            detail: (
              <ul className="flex flex-col gap-1">
                {secrets.map(({ carrier, secret, key }) => (
                  <li key={`${carrier}/${secret}`} className="inline-flex flex-wrap items-center gap-1.5">
                    <KeyRound aria-hidden className="size-3.5 text-faint" />
                    <Mono>{carrier}</Mono> from{' '}
                    <PeekLink className="underline" object={{ kind: 'Secret', ...parseRef(secret, namespace) }}>
                      {secret}
                    </PeekLink>
                    {key !== undefined && <span className="text-muted">key {key}</span>}
                  </li>
                ))}
              </ul>
            ),
          },
        ]),
  ];
}
