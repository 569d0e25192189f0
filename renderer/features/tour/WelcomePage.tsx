// The first run, step by step: a small system on the mock model, a run that waits for a person twice, and its finished trace. The address
// holds the step.
import { useMemo } from 'react';
import { usePageTitle } from '../../navigation/page-title.ts';
import { useScope } from '../../navigation/scope.ts';
import { useSearchState } from '../../navigation/search-state.ts';
import { LiveProvider } from '../../live/use-live.ts';
import { PageHeader } from '../../ui/layout/PageHeader.tsx';
import { Stepper } from '../../ui/layout/Stepper.tsx';
import { DoneStep } from './DoneStep.tsx';
import { LookStep } from './LookStep.tsx';
import { RunStep } from './RunStep.tsx';
import { StartStep } from './StartStep.tsx';
import { STEPS, TOUR_PARAMS } from './tour.ts';

export function WelcomePage() {
  const [state, setState] = useSearchState(TOUR_PARAMS);
  const { namespace: followed, home } = useScope();
  const namespace = state.ns || home;
  const { title } = useMemo(() => STEPS.find(({ id }) => id === state.step) ?? STEPS[0], [state.step]);
  usePageTitle(`${title} · First steps`);
  const step = (
    <>
      {state.step === 'start' && <StartStep namespace={namespace} onDone={(ns) => setState({ step: 'look', ns }, { push: true })} />}
      {state.step === 'look' && (
        <LookStep
          namespace={namespace}
          onBack={() => setState({ step: 'start' }, { push: true })}
          onRun={(run) => setState({ step: 'run', ns: namespace, run }, { push: true })}
        />
      )}
      {state.step === 'run' && (
        <RunStep
          namespace={namespace}
          run={state.run}
          onBack={() => setState({ step: 'look' }, { push: true })}
          onDone={() => setState({ step: 'done' }, { push: true })}
        />
      )}
      {state.step === 'done' && (
        <DoneStep namespace={namespace} run={state.run} onAgain={() => setState({ step: 'start', run: '' }, { push: true })} />
      )}
    </>
  );
  return (
    <div className="mx-auto flex min-h-0 w-full max-w-5xl flex-1 flex-col pb-4">
      <PageHeader title="First steps" meta="Two minutes, no key needed. You can leave and come back: your progress is in the URL." />
      <Stepper label="Steps of the tour" steps={STEPS} current={state.step} className="px-6 pb-3 max-sm:px-4" />
      <div key={state.step} className="flex min-h-0 flex-1 flex-col px-6 max-sm:px-4">
        {followed === undefined || followed === namespace ? step : <LiveProvider namespace={namespace}>{step}</LiveProvider>}
      </div>
    </div>
  );
}
