// Reason why a run does not move, or its current work: the server's chain of reasons, outermost first, and the run's history.
import { useQuery } from '@tanstack/react-query';
import type { ExplainReason } from '@svc/shared/api/runs';
import { statusOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { ServerText } from '../../../ui/text/ServerText.tsx';
import { hasEnded, isTemplate, TASK, type Run } from '../model/run.ts';
import { useExplanation } from '../model/use-run.ts';

export function ExplainTab({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const query = useExplanation(run);
  const moving = !hasEnded(run) && !isTemplate(run);
  return (
    <div className="grid items-start gap-4 p-6 max-sm:p-4 lg:grid-cols-[3fr_2fr]">
      <Card title={moving ? 'Status' : 'Result'} description={moving ? 'Root cause is last.' : undefined}>
        <QueryState query={query} title="The status could not be loaded" skeleton="h-16" />
        <ol className="flex flex-col">
          {query.data?.reasons.map((reason, index) => (
            <ReasonLink key={index} reason={reason} depth={index} scope={scope} />
          ))}
        </ol>
      </Card>
      <History run={run} scope={scope} />
    </div>
  );
}

const INDENT_MAX = 4;

function ReasonLink({ reason, depth, scope }: { readonly reason: ExplainReason; readonly depth: number; readonly scope: string }) {
  const { code, message, until, object } = reason;
  return (
    <li
      className="relative border-l-2 border-border py-2 pl-4 first:border-accent"
      style={{ marginLeft: `${Math.min(depth, INDENT_MAX) * 0.75}rem` }}
    >
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Badge>
          <Mono>{code}</Mono>
        </Badge>
        {until !== undefined && Date.parse(until) > 0 && <Countdown until={until} label={`The wait (${code})`} />}
        {object && (
          <PeekLink object={object} scope={scope} className="text-sm">
            {object.kind} {object.name}
          </PeekLink>
        )}
      </p>
      <p className="mt-1 text-pretty">
        <ServerText text={message} />
      </p>
    </li>
  );
}

/** Claims, waits and phases: from the run's records, which the object itself omits. */
function History({ run, scope }: { readonly run: Run; readonly scope: string }) {
  const { namespace, name } = run.metadata;
  const query = useQuery(api.resources.get.queryOptions({ kind: TASK, namespace, name }));
  const history = query.data ? (statusOf(TASK, query.data).history ?? []) : [];
  if (isTemplate(run)) return null;
  return (
    <Card title="Timeline">
      <QueryState query={query} title="The timeline could not be loaded" skeleton="h-16" />
      {query.data !== undefined && history.length === 0 && <p className="text-muted">No worker has started it yet.</p>}
      <ol className="flex flex-col gap-2">
        {history.map((entry, index) => (
          <li key={index} className="grid grid-cols-[max(5rem,var(--time-width))_1fr] gap-3">
            <span className="text-right text-sm text-muted">
              <Time at={entry.timestamp} sentence />
            </span>
            <span className="min-w-0">
              <span className="font-medium">{entry.type.replaceAll('_', ' ')}</span>{' '}
              <span className="text-muted">
                <ServerText text={entry.message ?? ''} />
              </span>
              {entry.type === 'claim' && entry.worker !== undefined && entry.worker !== '' && (
                <PeekLink object={{ kind: 'Worker', namespace: 'default', name: entry.worker }} scope={scope} className="ml-1 text-sm">
                  Open worker
                </PeekLink>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
