// Unschedulable runs that wait although workers exist, with the missing capability in the server's words.
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { api } from '../../live/api.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { formatNumber } from '../../ui/status/format.ts';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { isWaiting, unschedulableGroups, type UnschedulableGroup } from './model/unschedulable.ts';

/** The longest waiting ones: schedulable runs are claimed first, so unschedulable ones accumulate among them. */
const READ_MAX = 200;
const NAMED_MAX = 3;

export interface UnschedulableRunsProps {
  readonly scope: string;
  readonly namespace: string | undefined;
  /** Number of ready workers; undefined while unknown. */
  readonly ready: number | undefined;
}

export function UnschedulableRuns({ scope, namespace, ready }: UnschedulableRunsProps) {
  const where = namespace === undefined ? {} : { namespace };
  const query = useQuery(
    api.resources.list.queryOptions({ kind: 'Task', ...where, fieldSelector: 'status.phase=Pending', order: 'createdAt', limit: READ_MAX }),
  );
  const waiting = (query.data?.items ?? []).filter(isWaiting);
  const groups = unschedulableGroups(waiting);
  const cut = query.data?.continue !== undefined;
  return (
    <Card
      title="Runs that no worker can take"
      description={cut ? `Among the ${formatNumber(READ_MAX)} that have waited longest.` : 'Among all waiting runs.'}
      flush
    >
      <QueryState query={query} title="The waiting runs could not be loaded" skeleton="w-1/2" className="m-4" />
      {query.data && groups.length === 0 && <Nothing waiting={waiting.length} cut={cut} ready={ready} />}
      <ul className="divide-y divide-border/60">
        {groups.map((group) => (
          <Group key={group.reason} group={group} scope={scope} />
        ))}
      </ul>
    </Card>
  );
}

/** The server records it on a run after a short delay, so that a restarting worker causes no message. */
function Nothing({ waiting, cut, ready }: { readonly waiting: number; readonly cut: boolean; readonly ready: number | undefined }) {
  const stuck = waiting > 0 && ready === 0;
  const Icon = stuck ? TriangleAlert : CircleCheck;
  const many = waiting === 1 ? 'One run waits' : `${formatNumber(waiting)}${cut ? ' or more' : ''} runs wait`;
  return (
    <p className="flex items-center gap-2 px-4 py-3 text-muted">
      <Icon aria-hidden className={stuck ? 'size-4 shrink-0 text-warn' : 'size-4 shrink-0 text-ok'} />
      {waiting === 0 && 'No run waits for a worker.'}
      {stuck && `${many} until a worker is ready.`}
      {waiting > 0 && !stuck && `${many}, and a worker can claim ${waiting === 1 ? 'it' : 'each'} when its turn comes.`}
    </p>
  );
}

function Group({ group: { reason, runs }, scope }: { readonly group: UnschedulableGroup; readonly scope: string }) {
  const [first] = runs;
  const more = runs.length - NAMED_MAX;
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="text-pretty">
          <span className="font-medium">{runs.length === 1 ? '1 run waits' : `${formatNumber(runs.length)} runs wait`}</span>
          {': '}
          <UntrustedText text={reason} />
        </p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          {runs.slice(0, NAMED_MAX).map(({ metadata }) => (
            <PeekLink key={metadata.uid} object={{ kind: 'Task', ...metadata }} scope={scope} className="max-w-full truncate">
              {metadata.name}
            </PeekLink>
          ))}
          {more > 0 && <span>and {formatNumber(more)} more</span>}
          {first && (
            <span>
              {runs.length === 1 ? 'created' : 'the first created'} <Time at={first.metadata.createdAt} sentence />
            </span>
          )}
        </p>
      </div>
    </li>
  );
}
