// The created objects as they are on the server, and the start of the run.
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight, Play, ShieldCheck, Wrench } from 'lucide-react';
import { useState } from 'react';
import { objectAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { specOf } from '../../kinds/read.ts';
import { api } from '../../live/api.ts';
import { creator } from '../../live/creator.ts';
import { problemOf } from '../../live/problem.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { notStartedText } from '../runs/model/not-started-text.ts';
import { useWorkers } from '../workers/model/use-workers.ts';
import { capacityOf } from '../workers/model/worker.ts';
import { StepCard } from './StepCard.tsx';
import { tourRun } from './tour-actions.ts';
import { AGENT, SYSTEM, TOOL } from './tour.ts';

export interface LookStepProps {
  readonly namespace: string;
  readonly onBack: () => void;
  readonly onRun: (run: string) => void;
}

const TICKET = 'order 1001: two cups, both broken';

export function LookStep({ namespace, onBack, onRun }: LookStepProps) {
  const { reason } = useCanWrite();
  const [ticket, setTicket] = useState(TICKET);
  const system = useQuery(api.resources.get.queryOptions({ kind: 'AgentSystem', namespace, name: SYSTEM }, { retry: false }));
  const [create] = useState(creator);
  const start = useMutation({
    mutationFn: () => create(tourRun(namespace, ticket), [namespace, ticket]),
    onSuccess: ({ metadata }) => onRun(metadata.name),
  });
  const fleet = useWorkers();
  const missing = system.error !== null && problemOf(system.error).code === 'not_found';
  const noWorker = fleet.data !== undefined && capacityOf(fleet.workers).ready === 0;
  const blocked =
    reason ?? (missing ? 'The system is not there; go back and create it.' : ticket.trim() === '' ? 'Write a ticket first.' : undefined);
  return (
    <StepCard
      title="An agent, its tool, and two places where a person decides"
      text="This is a whole agent system. Open any part of it; Back brings you here again. Nothing runs yet."
      actions={
        <>
          <Button icon={<ArrowLeft />} onClick={onBack}>
            Back
          </Button>
          <Button
            variant="primary"
            size="lg"
            icon={<Play />}
            busy={start.isPending}
            disabledReason={blocked}
            onClick={() => start.mutate()}
          >
            Run it
          </Button>
        </>
      }
    >
      {noWorker && (
        <Banner tone="warn">
          No worker is ready, so the run will wait. Start the server with --embedded-worker, or a worker with “svcd worker”.
        </Banner>
      )}
      <div className="border-t border-border p-6 max-sm:p-4">
        {system.isPending && <Skeleton className="h-24" />}
        {system.error && (
          <ErrorCard
            error={system.error}
            title={missing ? `There is no system “${SYSTEM}” in ${namespace}` : 'The system could not be loaded'}
            onRetry={missing ? undefined : () => void system.refetch()}
            action={
              <Button size="sm" onClick={onBack}>
                Create it
              </Button>
            }
          />
        )}
        {system.data && <Picture namespace={namespace} />}
      </div>
      <div className="border-t border-border p-6 max-sm:p-4">
        <Field label="Ticket" hint="Input of the run. You can write your own; the mock model answers by its script.">
          <Input value={ticket} onChange={(event) => setTicket(event.target.value)} />
        </Field>
        {start.error && (
          <ErrorCard error={start.error} title={notStartedText(start.error)} onRetry={() => start.mutate()} className="mt-4" />
        )}
      </div>
    </StepCard>
  );
}

function Picture({ namespace }: { readonly namespace: string }) {
  const agent = useQuery(api.resources.get.queryOptions({ kind: 'Agent', namespace, name: AGENT }, { retry: false }));
  const prompt = agent.data && specOf('Agent', agent.data).prompt;
  return (
    <ol aria-label="How the system works" className="grid items-stretch gap-3 md:grid-cols-[1fr_auto_1fr_auto_1fr]">
      <Part icon={<KindIcon kind="Agent" />} title={`Agent ${AGENT}`} href={objectAddress({ kind: 'Agent', namespace, name: AGENT })}>
        {prompt !== undefined ? <UntrustedText text={prompt} /> : 'Reads the ticket.'}
      </Part>
      <Arrow />
      <Part
        icon={<Wrench />}
        title={`Tool ${TOOL}`}
        href={objectAddress({ kind: 'Tool', namespace, name: TOOL })}
        decision="You approve the payment"
      >
        Its permission requires approval of each call.
      </Part>
      <Arrow />
      <Part
        icon={<KindIcon kind="AgentSystem" />}
        title="Letter to the customer"
        href={objectAddress({ kind: 'AgentSystem', namespace, name: SYSTEM })}
        decision="You read the letter"
      >
        The run ends only after a review of its output.
      </Part>
    </ol>
  );
}

interface PartProps {
  readonly icon: React.ReactNode;
  readonly title: string;
  readonly href: string;
  readonly decision?: string;
  readonly children: React.ReactNode;
}

function Part({ icon, title, href, decision, children }: PartProps) {
  return (
    <li className="flex flex-col rounded-lg border border-border bg-bg p-4">
      <p className="flex items-center gap-2 font-medium [&_svg]:size-4 [&_svg]:text-accent-text">
        {icon}
        <Link href={href} look="quiet">
          {title}
        </Link>
      </p>
      <p className="mt-1 flex-1 text-pretty text-muted">{children}</p>
      {decision !== undefined && (
        <p className="mt-3 flex items-center gap-1.5 rounded-md bg-waiting-soft px-2 py-1 text-sm font-medium text-waiting">
          <ShieldCheck aria-hidden className="size-3.5" />
          {decision}
        </p>
      )}
    </li>
  );
}

function Arrow() {
  return (
    <li role="presentation" aria-hidden className="flex items-center justify-center text-faint max-md:rotate-90">
      <ArrowRight className="size-4" />
    </li>
  );
}
