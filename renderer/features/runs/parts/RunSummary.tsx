// A run for the inspector: its result or its blocking reason, its duration and cost, its input and output.
import { CircleAlert, CircleSlash } from 'lucide-react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { cn } from '../../../ui/cn.ts';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { useNow } from '../../../ui/status/clock.ts';
import { Duration } from '../../../ui/status/Duration.tsx';
import { formatCost, formatNumber } from '../../../ui/status/format.ts';
import { Time } from '../../../ui/status/Time.tsx';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { ServerText } from '../../../ui/text/ServerText.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { durationOf, hasEnded, hasFailed, isTemplate, phaseOf, systemOf, tokensOf, waitedOf, wasStopped, type Run } from '../model/run.ts';
import { TrialLine } from '../../trials/parts/trial-marks.tsx';
import { mainReason } from '../model/explain-sentence.ts';
import { useExplanation, useMetrics, useRun } from '../model/use-run.ts';
import { DataTab } from '../run/DataTab.tsx';
import { adviceFor } from '../run/failure-advice.ts';
import { WaitingCard } from './WaitingCard.tsx';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

const MESSAGE_CHARS = 600;

export function RunSummary({ object }: { readonly object: ObjectRef }) {
  const { run } = useRun(object);
  const { scope } = useScope();
  if (!run) return null;
  return (
    <div className="flex flex-col">
      {run.spec.trial && (
        <div className="px-6 pt-4 max-sm:px-4">
          <TrialLine run={run} />
        </div>
      )}
      {hasFailed(run) && <Failure run={run} />}
      {phaseOf(run) === 'WaitingApproval' && <WaitingCard run={run} scope={scope} className="mx-6 mt-4 max-sm:mx-4" />}
      <Facts run={run} />
      <DataTab run={run} />
    </div>
  );
}

function Failure({ run }: { readonly run: Run }) {
  const { reason, lastError } = run.status;
  const stopped = wasStopped(run);
  const Icon = stopped ? CircleSlash : CircleAlert;
  return (
    <section
      aria-label={stopped ? 'End' : 'Failure'}
      className={cn(
        'mx-6 mt-4 flex gap-2.5 rounded-md border p-3 max-sm:mx-4',
        stopped ? 'border-border-strong bg-neutral-soft' : 'border-danger/40 bg-danger-soft',
      )}
    >
      <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', stopped ? 'text-muted' : 'text-danger')} />
      <div className="min-w-0">
        <p className="font-medium">{adviceFor(reason).title}</p>
        {lastError !== undefined && (
          <p>
            <UntrustedText block text={beginningOf(lastError, MESSAGE_CHARS)} />
          </p>
        )}
      </div>
    </section>
  );
}

function Facts({ run }: { readonly run: Run }) {
  const { data: metrics } = useMetrics(run);
  const { data: explanation } = useExplanation(run, !hasEnded(run) && !isTemplate(run));
  const { startedAt, attempts, assignedWorker } = run.status;
  const now = useNow(1_000);
  const waited = waitedOf(run, now);
  const tokens = metrics?.totals.tokens ?? tokensOf(run);
  const cost = metrics?.totals.unpriced_calls === 0 ? metrics.totals.cost_usd : null;
  const why = mainReason(explanation?.reasons ?? [])?.message;
  const worker = { kind: 'Worker', namespace: 'default', name: assignedWorker ?? '' };
  return (
    <div className="flex flex-col gap-3 px-6 pt-4 max-sm:px-4">
      {why !== undefined && (
        <p className="text-pretty text-muted">
          <ServerText text={`${capitalized(why)}.`} />
        </p>
      )}
      <DescriptionList
        items={[
          { term: 'System', detail: <PeekLink object={systemOf(run)}>{run.spec.system}</PeekLink> },
          ...(startedAt === undefined
            ? []
            : [
                { term: 'Started', detail: <Time at={startedAt} sentence /> },
                { term: waited > 0 ? 'Active' : 'Duration', detail: <Duration ms={durationOf(run, now)} /> },
                ...(waited > 0 ? [{ term: 'Waited for people', detail: <Duration ms={waited} /> }] : []),
                { term: 'Attempts', detail: formatNumber(attempts ?? 0) },
              ]),
          ...(tokens === undefined ? [] : [{ term: 'Tokens', detail: formatNumber(tokens) }]),
          ...(cost === null ? [] : [{ term: 'Cost', detail: formatCost(cost) }]),
          ...(assignedWorker === undefined ? [] : [{ term: 'Worker', detail: <PeekLink object={worker}>{assignedWorker}</PeekLink> }]),
        ]}
      />
    </div>
  );
}
