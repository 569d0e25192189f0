// End of the tour: the created objects, next steps, and removal of everything.
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { BookOpen, Brain, FileUp, RotateCcw, Route, Trash2, Workflow, Wrench } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { withBase } from '../../ui/link/base-path.ts';
import { createAddress, objectAddress, pageAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import type { Run } from '../runs/model/run.ts';
import { useRunApprovals } from '../runs/model/use-run-approvals.ts';
import { useRun } from '../runs/model/use-run.ts';
import { storyOf, type Story } from './run-progress.ts';
import { StepCard } from './StepCard.tsx';
import { cleanUp } from './tour-actions.ts';
import { SYSTEM, TOUR_SELECTOR } from './tour.ts';

export interface DoneStepProps {
  readonly namespace: string;
  readonly run: string;
  readonly onAgain: () => void;
}

export function DoneStep(props: DoneStepProps) {
  const { namespace, run: name } = props;
  const clean = useMutation({ mutationFn: () => cleanUp(namespace) });
  // Nothing can be loaded again after the removal.
  const { run, loading } = useRun({ namespace, name }, name !== '' && clean.isIdle);
  if (name !== '' && loading) return <Skeleton className="h-96 rounded-xl" />;
  return run ? <AfterRun {...props} clean={clean} ended={run} /> : <Done {...props} clean={clean} story={storyOf(undefined, [])} />;
}

interface CleaningProps extends DoneStepProps {
  readonly clean: UseMutationResult<number, Error, void>;
}

function AfterRun({ ended, ...props }: CleaningProps & { readonly ended: Run }) {
  const { approvals, loading, error } = useRunApprovals(ended);
  return <Done {...props} story={storyOf(ended, loading || error !== null ? undefined : approvals)} />;
}

function Done({ namespace, run, onAgain, story, clean }: CleaningProps & { readonly story: Story }) {
  const { reason } = useCanWrite('admin');
  const [asking, setAsking] = useState(false);
  const takeAway = () => clean.mutate(undefined, { onSettled: () => setAsking(false) });
  const gone = clean.data !== undefined;
  return (
    <StepCard
      title={story.title}
      text={`${story.text} From here on it is your agents, your tools, your rules.`}
      actions={
        <>
          {!gone && (
            <Button variant="danger-quiet" icon={<Trash2 />} disabledReason={reason} onClick={() => setAsking(true)}>
              Clean up
            </Button>
          )}
          <Button icon={<RotateCcw />} onClick={onAgain}>
            Once more
          </Button>
          <LinkButton variant="primary" size="lg" href={pageAddress(namespace, 'dashboard')}>
            Go to Home
          </LinkButton>
        </>
      }
    >
      {gone && (
        <Banner tone="ok">
          {clean.data === 1 ? 'One object was' : `${clean.data} objects were`} deleted. Nothing of the tour is left in {namespace}.
        </Banner>
      )}
      {clean.error && <ErrorCard error={clean.error} title="The clean-up stopped" onRetry={takeAway} className="mx-6 mb-4" />}
      <WhatNext namespace={namespace} run={run} gone={gone} />
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={takeAway}
        busy={clean.isPending}
        title="Delete the tour's objects?"
        consequence={
          <>
            Every object in {namespace} with the label <Mono>{TOUR_SELECTOR}</Mono> is deleted: the system, its agent, tool, permission and
            model, and the runs of the tour with their traces. This cannot be undone.
          </>
        }
        confirmLabel="Delete them"
      />
    </StepCard>
  );
}

interface WhatNextProps {
  readonly namespace: string;
  readonly run: string;
  /** The tour's objects were removed. */
  readonly gone: boolean;
}

function WhatNext({ namespace, run, gone }: WhatNextProps) {
  return (
    <div className="grid gap-px border-t border-border bg-border sm:grid-cols-2 lg:grid-cols-3">
      {!gone && run !== '' && (
        <Next
          icon={<Route />}
          title="Read the trace"
          href={objectAddress({ kind: 'Task', namespace, name: run }, undefined, { tab: 'trace' })}
        >
          All model calls, tool calls and decisions.
        </Next>
      )}
      {!gone && (
        <Next icon={<Workflow />} title="Open the system" href={objectAddress({ kind: 'AgentSystem', namespace, name: SYSTEM })}>
          On the canvas, with its agent and its review.
        </Next>
      )}
      <Next icon={<Brain />} title="Your own model" href={createAddress(namespace, 'ModelEndpoint')}>
        A provider, and its key as a Secret.
      </Next>
      <Next icon={<Wrench />} title="Your own tool" href={createAddress(namespace, 'Tool')}>
        HTTP, a command, a container, WebAssembly.
      </Next>
      <Next icon={<FileUp />} title="Import YAML" href={pageAddress(namespace, 'import')}>
        Paste or drop YAML files.
      </Next>
      <a href={withBase('/docs')} className="group flex items-start gap-3 bg-surface p-5 hover:bg-hover">
        <BookOpen aria-hidden className="mt-0.5 size-4 shrink-0 text-accent-text" />
        <span>
          <span className="block font-medium">API reference</span>
          <span className="block text-muted">The console uses the same API.</span>
        </span>
      </a>
    </div>
  );
}

interface NextProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly href: string;
  readonly children: ReactNode;
}

function Next({ icon, title, href, children }: NextProps) {
  return (
    <Link
      href={href}
      look="bare"
      className="flex items-start gap-3 bg-surface p-5 hover:bg-hover focus-visible:-outline-offset-2 [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-accent-text"
    >
      {icon}
      <span>
        <span className="block font-medium">{title}</span>
        <span className="block text-pretty text-muted">{children}</span>
      </span>
    </Link>
  );
}
