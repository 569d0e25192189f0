// The requesting run: its identity, its state, and links.
import { parseRef } from '@svc/shared/resource';
import { askerTerm, DOOR_NAMES, taskOrigin } from '@svc/shared/run-origin';
import { useQuery } from '@tanstack/react-query';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { asKind } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Approval } from '../model/approval.ts';

const LOADING = <Skeleton className="my-1 w-24" />;

export function RequestingRun({ approval }: { readonly approval: Approval }) {
  const { task, agent, namespace } = approval;
  const { data, error, isPending } = useQuery(api.resources.get.queryOptions({ kind: 'Task', ...task }, { retry: false }));
  const run = data && asKind('Task', data);
  const problem = error === null ? undefined : problemOf(error);
  const system = run?.spec.system;
  const origin = approval.origin ?? (run && taskOrigin(run.metadata, run.spec));
  return (
    <Section title="Asked by">
      <DescriptionList
        items={[
          {
            term: 'Run',
            detail:
              problem?.code === 'not_found' ? (
                <span className="text-muted">{task.name} was deleted</span>
              ) : (
                <span className="inline-flex flex-wrap items-center gap-2">
                  <PeekLink object={{ kind: 'Task', ...task }}>{task.name}</PeekLink>
                  {run && <StatePill kind="Task" status={run.status} look="quiet" />}
                  {problem && !run && <span className="text-muted">could not be read: {problem.message}</span>}
                </span>
              ),
          },
          // A row that came late would move the links below it away from the pointer.
          ...(isPending ? [{ term: 'System', detail: LOADING }] : []),
          ...(system === undefined
            ? []
            : [
                {
                  term: 'System',
                  detail: <PeekLink object={{ kind: 'AgentSystem', ...parseRef(system, task.namespace) }}>{system}</PeekLink>,
                },
              ]),
          ...(origin && origin.door !== 'api'
            ? [
                {
                  term: 'From',
                  detail: (
                    <span className="inline-flex flex-wrap items-center gap-x-2">
                      {DOOR_NAMES[origin.door]}
                      {origin.source && <PeekLink object={origin.source}>{origin.source.name}</PeekLink>}
                    </span>
                  ),
                },
              ]
            : []),
          ...(origin?.askedBy === undefined ? [] : [{ term: askerTerm(origin), detail: <UntrustedText text={origin.askedBy} /> }]),
          ...(agent === ''
            ? []
            : [{ term: 'Agent', detail: <PeekLink object={{ kind: 'Agent', ...parseRef(agent, namespace) }}>{agent}</PeekLink> }]),
          ...(isPending ? [{ term: 'Priority', detail: LOADING }] : []),
          ...(run ? [{ term: 'Priority', detail: <UntrustedText text={run.spec.priority} /> }] : []),
          { term: 'Asked', detail: <Time at={approval.createdAt} sentence /> },
          ...(approval.kind === 'ToolApproval' && approval.requestId !== ''
            ? [{ term: 'Request', detail: <Mono>{approval.requestId}</Mono> }]
            : []),
          { term: 'Approval', detail: <PeekLink object={approval}>{approval.name}</PeekLink> },
        ]}
      />
    </Section>
  );
}
