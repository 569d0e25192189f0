// Open work for a person, current runs, and recent results. On a server without any run: the steps to a first run.
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { kindAddress } from '../../navigation/addresses.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { api } from '../../live/api.ts';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { FIRST_STEPS, firstRunState } from './first-run.ts';
import { FirstRun } from './FirstRun.tsx';
import { NeedsYou } from './NeedsYou.tsx';
import { NextSchedules } from './NextSchedules.tsx';
import { RunHistorySection } from './RunHistorySection.tsx';
import { RunningNow } from './RunningNow.tsx';
import { WorkerCapacity } from './WorkerCapacity.tsx';

/** Covers the whole server, since a namespace may be empty for good reasons. */
const EVERYWHERE = { selections: FIRST_STEPS.map(({ kind }) => ({ kind })), max: 1 };

export function DashboardPage() {
  usePageTitle('Home');
  const { scope, namespace, home } = useScope();
  const counts = useQuery(api.resources.counts.queryOptions(EVERYWHERE));
  const first = counts.data && firstRunState(counts.data);
  const neverRan = first?.done.at(-1) === false;
  return (
    <>
      <PageHeader
        className="w-full max-w-[100rem]"
        title="Home"
        meta={namespace === undefined ? 'All namespaces' : `Namespace ${namespace}`}
        actions={
          !neverRan && (
            <LinkButton variant="primary" icon={<Play />} href={kindAddress(scope, 'AgentSystem')}>
              Run a system
            </LinkButton>
          )
        }
      />
      <div className="flex w-full max-w-[100rem] flex-col gap-6 px-6 pb-10 max-sm:px-4">
        {neverRan ? <FirstRun state={first} home={home} /> : <NeedsYou scope={scope} namespace={namespace} />}
        {!neverRan && <RunHistorySection namespace={namespace} />}
        {neverRan ? (
          <WorkerCapacity scope={scope} />
        ) : (
          <div className="grid items-start gap-4 lg:grid-cols-2 xl:grid-cols-[3fr_2fr]">
            <RunningNow scope={scope} namespace={namespace} />
            <div className="flex min-w-0 flex-col gap-4">
              <WorkerCapacity scope={scope} />
              <NextSchedules scope={scope} namespace={namespace} />
            </div>
          </div>
        )}
      </div>
    </>
  );
}
