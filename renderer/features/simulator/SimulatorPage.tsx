// What governance would say of a call, asked ahead of time: one call in full, and all pairs of agents and tools at a glance.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePageTitle } from '../../app/page-title.ts';
import { useScope } from '../../app/scope.ts';
import { useSearchState } from '../../app/search-state.ts';
import { api } from '../../live/api.ts';
import { ErrorCard } from '../../ui/ErrorCard.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { CHECK_PARAMS, questionOf } from './check.ts';
import { CheckForm } from './CheckForm.tsx';
import { MatrixCard } from './MatrixCard.tsx';
import { NothingAsked, VerdictCard } from './VerdictCard.tsx';

export function SimulatorPage() {
  usePageTitle('Policy simulator');
  const { scope, home } = useScope();
  const [state, setState] = useSearchState(CHECK_PARAMS);
  const question = questionOf(state, home);
  const { data, error, isPending, refetch } = useQuery(
    api.access.check.queryOptions(question ?? {}, {
      enabled: question !== undefined,
      placeholderData: keepPreviousData,
      staleTime: 0,
      retry: false,
    }),
  );
  const failed = question !== undefined && error !== null;
  return (
    <>
      <PageHeader title="Policy simulator" meta="Asks the judge that runs ask. Rules that change are seen at the next question." />
      <div className="grid items-start gap-4 px-6 pb-10 max-sm:px-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <CheckForm state={state} namespace={home} onChange={(change) => setState(change)} />
        <div className="min-w-0" aria-live="polite">
          {question === undefined && <NothingAsked />}
          {failed && <ErrorCard error={error} title="The question could not be answered" onRetry={() => void refetch()} />}
          {question !== undefined && !failed && isPending && <Skeleton className="h-48 rounded-lg" />}
          {question !== undefined && !failed && data && <VerdictCard answer={data} scope={scope} />}
        </div>
        <div className="min-w-0 xl:col-span-2">
          <MatrixCard
            namespace={home}
            system={state.system}
            agent={state.agent}
            tool={state.tool}
            onPick={(agent, tool) => setState({ agent, tool, operation: '' }, { push: true })}
          />
        </div>
      </div>
    </>
  );
}
