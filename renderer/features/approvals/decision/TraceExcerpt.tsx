// The last steps of the run before the request.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../ui/link/Link.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { objectAddress } from '../../../navigation/addresses.ts';
import { formatDuration } from '../../../ui/status/format.ts';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import type { Approval } from '../model/approval.ts';
import { stepsBefore, STEPS } from '../model/steps-before.ts';

/** Pages of a run's trace to read; only a very long run has its request beyond them. */
const PAGES_MAX = 8;

interface Excerpt {
  readonly steps: readonly TraceEntry[];
  readonly found: boolean;
}

async function readExcerpt({ task, name }: Approval, signal: AbortSignal): Promise<Excerpt> {
  let kept: TraceEntry[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const read = await client.runs.trace.query({ ...task, ...(after !== undefined && { after }) }, { signal });
    const { steps, found, rest } = stepsBefore([...kept, ...read.items], name);
    if (found || read.continue === undefined) return { steps, found };
    kept = rest;
    after = read.continue;
  }
  return { steps: [], found: false };
}

const LABELS: Readonly<Record<string, string>> = {
  task_start: 'run started',
  agent_start: 'agent starts',
  agent_end: 'agent done',
  agent_message: 'hands over',
  model_call: 'asks the model',
  model_output: 'model answers',
  model_error: 'model failed',
  tool_call: 'called',
  tool_error: 'tool failed',
  tool_approval_pending: 'asks for approval',
  tool_approval_resolved: 'approval decided',
  task_approval_pending: 'asks for review',
  task_approval_resolved: 'review decided',
};

export function TraceExcerpt({ approval }: { readonly approval: Approval }) {
  const { data, error, isError } = useQuery({
    queryKey: ['approvals', 'steps', approval.uid],
    queryFn: ({ signal }) => readExcerpt(approval, signal),
    staleTime: Infinity,
    retry: false,
  });
  const trace = <Link href={objectAddress({ kind: 'Task', ...approval.task }, undefined, { tab: 'trace' })}>Whole trace</Link>;
  return (
    <Section title="Just before" actions={<span className="text-sm">{trace}</span>}>
      {isError ? (
        <p className="text-muted">{problemOf(error).code === 'not_found' ? 'The run was deleted.' : problemOf(error).message}</p>
      ) : !data ? (
        <Skeleton className="h-24 w-full" />
      ) : data.steps.length === 0 ? (
        <p className="text-muted">{data.found ? 'Nothing came before.' : 'The run is too long to find the place here.'}</p>
      ) : (
        <ol aria-label={`The last ${STEPS} steps`} className="flex flex-col gap-2">
          {data.steps.map((step, index) => (
            <Step key={index} step={step} />
          ))}
        </ol>
      )}
    </Section>
  );
}

const DETAIL_MAX = 400;

function detailOf({ message, output, input }: TraceEntry): string {
  const value = output ?? input ?? message;
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.length > DETAIL_MAX ? `${text.slice(0, DETAIL_MAX)}…` : text;
}

function Step({ step }: { readonly step: TraceEntry }) {
  const detail = detailOf(step);
  return (
    <li className="border-l-2 border-border pl-2.5">
      <p className="flex flex-wrap items-baseline gap-x-1.5 text-sm">
        {step.agent !== undefined && <UntrustedText text={step.agent} className="text-muted" />}
        <span className="font-medium text-text">{LABELS[step.type] ?? step.type.replaceAll('_', ' ')}</span>
        {step.tool !== undefined && <UntrustedText text={step.tool} className="text-text" />}
        {step.latency_ms !== undefined && <span className="text-faint tabular-nums">{formatDuration(step.latency_ms)}</span>}
      </p>
      {detail !== '' && <UntrustedText block text={detail} className="line-clamp-3 text-sm text-muted" />}
    </li>
  );
}
