// The run, live, with each of its approvals to decide in place: the same pane as in the inbox.
import { ArrowLeft, ArrowRight, Check, Circle, CircleDot, X } from 'lucide-react';
import { objectAddress } from '../../navigation/addresses.ts';
import { Button } from '../../ui/button/Button.tsx';
import { cn } from '../../ui/cn.ts';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { DecisionPane } from '../approvals/parts/DecisionPane.tsx';
import { useApproval } from '../approvals/model/use-approvals.ts';
import { mainReason } from '../runs/model/explain-sentence.ts';
import type { RunApproval } from '../runs/model/run-approvals.ts';
import { hasEnded, hasFailed, type Run } from '../runs/model/run.ts';
import { useRunApprovals } from '../runs/model/use-run-approvals.ts';
import { useExplanation, useRun } from '../runs/model/use-run.ts';
import { marksOf, openOne, storyOf, type Mark } from './run-progress.ts';
import { StepCard } from './StepCard.tsx';

export interface RunStepProps {
  readonly namespace: string;
  /** Its name; empty when the address has none. */
  readonly run: string;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

export function RunStep({ namespace, run: name, onBack, onDone }: RunStepProps) {
  const { run, loading, error, deleted, retry } = useRun({ namespace, name }, name !== '');
  const back = (
    <Button icon={<ArrowLeft />} onClick={onBack}>
      Back
    </Button>
  );
  if (run && !deleted) return <LiveRun run={run} onDone={onDone} back={back} />;
  if (name !== '' && loading) return <Skeleton className="h-96 rounded-xl" />;
  if (name !== '' && !deleted && error !== null)
    return <ErrorCard error={error} title="The run could not be loaded" onRetry={retry} action={back} />;
  return (
    <EmptyState
      cause="none"
      title="There is no such run"
      action={
        <Button variant="primary" onClick={onBack}>
          Start one
        </Button>
      }
    >
      It was deleted, or never started.
    </EmptyState>
  );
}

interface LiveRunProps {
  readonly run: Run;
  readonly back: React.ReactNode;
  readonly onDone: () => void;
}

function LiveRun({ run, back, onDone }: LiveRunProps) {
  const { approvals, loading, error, retry } = useRunApprovals(run);
  const ended = hasEnded(run);
  const story = storyOf(run, loading || error !== null ? undefined : approvals);
  const question = ended ? undefined : openOne(approvals);
  return (
    <StepCard
      filled={question !== undefined}
      title={!ended ? 'The run continues and asks you' : hasFailed(run) ? story.title : 'The run is finished'}
      text={
        !ended
          ? 'Nothing is simulated: the run waits on the server until you decide, whatever happens to this page.'
          : hasFailed(run)
            ? `${story.text} The trace shows who decided.`
            : 'Both decisions are signed records, and every step of the run is in its trace.'
      }
      actions={
        <>
          {back}
          <LinkButton href={objectAddress({ kind: 'Task', ...run.metadata })}>Open the run</LinkButton>
          <Button
            variant="primary"
            size="lg"
            icon={<ArrowRight />}
            disabledReason={ended ? undefined : 'The run waits for your decisions first.'}
            onClick={onDone}
          >
            Continue
          </Button>
        </>
      }
    >
      <ol
        aria-label="Progress"
        aria-live="polite"
        className="grid gap-3 border-t border-border px-6 py-2.5 max-sm:px-4 sm:grid-cols-2 md:grid-cols-4"
      >
        {marksOf(run, approvals).map((mark) => (
          <MarkRow key={mark.id} mark={mark} />
        ))}
      </ol>
      {error != null && <ErrorCard error={error} title="The approvals could not be loaded" onRetry={retry} className="mx-6 mb-4" />}
      {question ? <Question key={question.metadata.uid} approval={question} /> : ended ? <Outcome run={run} /> : <Moving run={run} />}
    </StepCard>
  );
}

const MARKS = {
  done: { icon: Check, look: 'bg-ok-soft text-ok' },
  now: { icon: CircleDot, look: 'bg-waiting-soft text-waiting' },
  later: { icon: Circle, look: 'bg-neutral-soft text-neutral' },
  failed: { icon: X, look: 'bg-danger-soft text-danger' },
} as const;

function MarkRow({ mark: { title, state, note } }: { readonly mark: Mark }) {
  const { icon: Icon, look } = MARKS[state];
  return (
    <li aria-current={state === 'now' ? 'step' : undefined} className="flex items-start gap-2.5">
      <span aria-hidden className={cn('flex size-6 shrink-0 items-center justify-center rounded-full', look)}>
        <Icon className="size-3.5" />
      </span>
      <span className="min-w-0">
        <span className={cn('block', state === 'later' ? 'text-muted' : 'font-medium')}>{title}</span>
        <span className="block truncate text-sm text-muted">{note}</span>
      </span>
    </li>
  );
}

function Question({ approval }: { readonly approval: RunApproval }) {
  const place = {
    kind: approval.kind,
    namespace: approval.metadata.namespace,
    name: approval.metadata.name,
  };
  const query = useApproval(place);
  return (
    <section aria-label="Decide" className="flex min-h-72 flex-1 flex-col border-t border-border bg-bg max-sm:h-[80dvh]">
      <DecisionPane place={place} query={query} onDecided={() => void query.refetch()} onNext={undefined} />
    </section>
  );
}

function Moving({ run }: { readonly run: Run }) {
  const { data } = useExplanation(run);
  const reason = data && mainReason(data.reasons);
  return (
    <p role="status" className="flex items-center gap-3 border-t border-border px-6 py-8 text-muted">
      <Spinner />
      <UntrustedText text={reason?.message ?? 'The run continues…'} />
    </p>
  );
}

function Outcome({ run }: { readonly run: Run }) {
  const output = run.status.output ?? {};
  const text = output['result'] ?? output['output'] ?? Object.values(output).find((value) => value.length > 20);
  return (
    <div className="border-t border-border px-6 py-5 max-sm:px-4">
      <h3 className="mb-2 font-medium">{hasFailed(run) ? 'Output' : 'The letter'}</h3>
      <UntrustedText
        block
        text={(hasFailed(run) ? run.status.lastError : text) ?? 'The run has no output.'}
        className="max-h-60 overflow-y-auto rounded-md border border-border bg-sunken p-4"
      />
    </div>
  );
}
