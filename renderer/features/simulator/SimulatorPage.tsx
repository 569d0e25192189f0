// Dry run of governance: one call in full, and all pairs of agents and tools at a glance.
import { describeKey, type ResourceKey } from '@svc/shared/resource';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { textParam, useSearchState } from '../../navigation/search-state.ts';
import { api } from '../../live/api.ts';
import { cn } from '../../ui/cn.ts';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { useEffect, useMemo, useRef, useState } from 'react';
import { toastError } from '../../ui/overlay/toast.ts';
import { CHECK_PARAMS, questionOf } from './check.ts';
import { CheckForm } from './CheckForm.tsx';
import { CompareCard, type Side } from './CompareCard.tsx';
import { MatrixCard } from './MatrixCard.tsx';
import { DraftedRules } from './parts/RuleName.tsx';
import { useWhatIf, type WhatIf } from './use-what-if.ts';
import { VerdictCard, type VerdictCardProps } from './VerdictCard.tsx';
import { parseRefText, refsOf } from './what-if.ts';
import { WhatIfCard } from './WhatIfCard.tsx';

const NONE_DRAFTED: ReadonlySet<string> = new Set();
const TRY_PARAMS = { try: textParam };

export function SimulatorPage() {
  usePageTitle('Policy simulator');
  const { scope, home } = useScope();
  const [state, setState] = useSearchState(CHECK_PARAMS);
  const question = questionOf(state, home);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    api.access.check.queryOptions(question ?? {}, {
      enabled: question !== undefined,
      placeholderData: keepPreviousData,
      staleTime: 0,
      retry: false,
    }),
  );
  const failed = question !== undefined && error !== null;
  const whatIf = useWhatIf(home, question);
  useTried(whatIf.add);
  const tryPlace = useRef<HTMLDivElement>(null);
  const tryChange = (ref: ResourceKey) => {
    tryPlace.current?.scrollIntoView({ block: 'nearest' });
    whatIf.add(ref).catch((cause: unknown) => toastError(`${describeKey(ref)} could not be read`, cause));
  };
  return (
    <>
      <PageHeader title="Policy simulator" meta="Uses the same policy engine as real runs. Results reflect the current rules." />
      <div className="grid items-start gap-4 px-6 pb-10 max-sm:px-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <CheckForm state={state} namespace={home} onChange={(change) => setState(change)} />
          <div ref={tryPlace} className="min-w-0">
            <WhatIfCard whatIf={whatIf} namespace={home} />
          </div>
        </div>
        <div className={cn('flex min-w-0 flex-col gap-4', question === undefined && 'max-xl:order-first')}>
          <div className="min-w-0 empty:hidden" aria-live="polite">
            {failed && <ErrorCard error={error} title="The check failed" onRetry={() => void refetch()} />}
            {question !== undefined && !failed && isPending && <Skeleton className="h-48 rounded-lg" />}
            {question !== undefined && !failed && data && (
              <Answers answer={data} old={isPlaceholderData} scope={scope} whatIf={whatIf} home={home} onTry={tryChange} />
            )}
          </div>
          <MatrixCard
            namespace={home}
            system={state.system}
            agent={state.agent}
            tool={state.tool}
            documents={whatIf.documents}
            onPick={(agent, tool) => setState({ agent, tool, operation: '' }, { push: true })}
          />
        </div>
      </div>
    </>
  );
}

/** An address may name a stored object to try: it is put into the text once, and removed from the address. */
function useTried(add: WhatIf['add']): void {
  const [{ try: tried }, setState] = useSearchState(TRY_PARAMS);
  useEffect(() => {
    if (tried === '') return;
    setState({ try: '' });
    const ref = parseRefText(tried);
    if (ref) add(ref).catch((error: unknown) => toastError(`${tried} could not be read`, error));
  }, [tried, add, setState]);
}

interface AnswersProps extends VerdictCardProps {
  /** The answer belongs to the previous question. */
  readonly old: boolean;
  readonly whatIf: WhatIf;
  readonly home: string;
}

/** The answer; while a change is tried, with the one for the change. */
function Answers({ answer, old, scope, whatIf, home, onTry }: AnswersProps) {
  const [side, setSide] = useState<Side>('then');
  const { documents, answer: changed } = whatIf;
  const drafted = useMemo(() => new Set(refsOf(documents ?? [], home).map(describeKey)), [documents, home]);
  if (!changed || old) return <VerdictCard answer={answer} scope={scope} {...(onTry && { onTry })} />;
  return (
    <div className="flex flex-col gap-4">
      <CompareCard now={answer} then={changed} scope={scope} drafted={drafted} side={side} onSide={setSide} />
      <DraftedRules value={side === 'then' ? drafted : NONE_DRAFTED}>
        <VerdictCard answer={side === 'then' ? changed : answer} scope={scope} {...(onTry && { onTry })} />
      </DraftedRules>
    </div>
  );
}
