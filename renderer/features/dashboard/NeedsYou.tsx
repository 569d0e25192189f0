// Work that waits for a person, most urgent first: decisions, failures, broken objects. States when there is none.
import { phaseOf, type Resource } from '@svc/shared/resource';
import { CircleCheck, CircleUser, Plug, Skull } from 'lucide-react';
import { approvalAddress, kindAddress, pageAddress } from '../../navigation/addresses.ts';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { Countdown } from '../../ui/status/Countdown.tsx';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { capitalized } from '../../ui/text/capitalized.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { subjectOf, type Approval } from '../approvals/model/approval.ts';
import { NeedPanel } from './NeedPanel.tsx';
import { endOf, troubleText } from './needs.ts';
import { useFailingObjects, useDecisions, useFailures } from './use-needs.ts';
import { beginningOf } from '../../ui/text/whole-characters.ts';

const REASON_CHARS = 200;

export interface NeedsYouProps {
  readonly scope: string;
  readonly namespace: string | undefined;
}

export function NeedsYou({ scope, namespace }: NeedsYouProps) {
  const decisions = useDecisions(namespace);
  const failures = useFailures(namespace);
  const broken = useFailingObjects(namespace);
  const needs = [decisions, failures, broken];
  const quiet = needs.every(({ count, error }) => count === 0 && error == null);
  return (
    <section aria-label="Needs you">
      {quiet ? (
        <p className="flex items-center gap-2.5 rounded-lg border border-border bg-surface px-4 py-3 shadow-raised">
          <CircleCheck aria-hidden className="size-4 text-ok" />
          <span>
            <span className="font-medium">Nothing needs you.</span>{' '}
            <span className="text-muted">No approvals waiting, no failed runs in 24 hours, no unhealthy resources.</span>
          </span>
        </p>
      ) : (
        <div className="grid items-stretch gap-4 lg:grid-cols-2 xl:grid-cols-3">
          <NeedPanel
            title="Approvals"
            tone="waiting"
            icon={<CircleUser />}
            need={decisions}
            nothing="No approvals waiting."
            all={{ href: pageAddress(scope, 'inbox'), label: 'Open inbox' }}
            keyOf={({ key }) => key}
          >
            {(approval) => <DecisionRow approval={approval} scope={scope} />}
          </NeedPanel>
          <NeedPanel
            title="Failed in 24 hours"
            tone="danger"
            icon={<Skull />}
            need={failures}
            nothing="No failed runs in the last 24 hours."
            all={{ href: kindAddress(scope, 'Task', { phase: ['Failed', 'DeadLetter'] }), label: 'All failed runs' }}
            keyOf={({ metadata }) => metadata.uid}
          >
            {(run) => <FailureRow run={run} scope={scope} />}
          </NeedPanel>
          <NeedPanel
            title="Unhealthy resources"
            tone="danger"
            icon={<Plug />}
            need={broken}
            nothing="All resources healthy."
            keyOf={({ metadata }) => metadata.uid}
            className="lg:max-xl:col-span-2"
          >
            {(object) => <BrokenRow object={object} scope={scope} />}
          </NeedPanel>
        </div>
      )}
    </section>
  );
}

const ROW = 'flex min-w-0 items-center gap-3 px-4 py-2 transition-colors hover:bg-hover focus-visible:-outline-offset-2';

function DecisionRow({ approval, scope }: { readonly approval: Approval; readonly scope: string }) {
  const { kind, expiresAt, agent, task } = approval;
  const subject = subjectOf(approval);
  return (
    <Link href={approvalAddress(scope, approval)} look="bare" className={ROW}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {kind === 'ToolApproval' ? 'Call' : 'Review'} <UntrustedText text={subject} />
        </span>
        <span className="block truncate text-sm text-muted">
          {agent === '' ? '' : `${agent} · `}
          {task.name}
        </span>
      </span>
      {Number.isFinite(expiresAt) && <Countdown until={expiresAt} label={`The decision on ${subject}`} className="text-sm" />}
    </Link>
  );
}

function FailureRow({ run, scope }: { readonly run: Resource; readonly scope: string }) {
  const { namespace, name } = run.metadata;
  const reason = troubleText(run);
  return (
    <PeekLink object={{ kind: 'Task', namespace, name }} scope={scope} look="bare" className={ROW}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-muted">
          {phaseOf(run) === 'DeadLetter' ? 'Dead letter · ' : ''}
          <UntrustedText text={reason === '' ? 'No reason given' : capitalized(beginningOf(reason, REASON_CHARS))} />
        </span>
      </span>
      <span className="text-sm text-muted">
        <Time at={endOf(run)} sentence />
      </span>
    </PeekLink>
  );
}

function BrokenRow({ object, scope }: { readonly object: Resource; readonly scope: string }) {
  const { namespace, name } = object.metadata;
  return (
    <PeekLink object={{ kind: object.kind, namespace, name }} scope={scope} look="bare" className={ROW}>
      <KindIcon kind={object.kind} className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-muted">
          <UntrustedText text={capitalized(beginningOf(troubleText(object), REASON_CHARS)) || object.kind} />
        </span>
      </span>
    </PeekLink>
  );
}
