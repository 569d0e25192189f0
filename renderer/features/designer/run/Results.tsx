// Results of the followed run, below the canvas: its answer, or what the selected agent received, did and answered. Text streams in.
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { ReactNode } from 'react';
import { waitsAtBreakpoint } from '../../trials/model/trial-text.ts';
import { BreakpointCard } from '../../trials/parts/BreakpointCard.tsx';
import { asRun, durationOf, hasEnded, hasFailed, phaseOf, tokensOf, troubleOf, type Run } from '../../runs/model/run.ts';
import { WaitingCard } from '../../runs/parts/WaitingCard.tsx';
import { EndNotes } from '../../trace/parts/EndNotes.tsx';
import { LiveAnswer } from '../../trace/parts/LiveAnswer.tsx';
import { standInLabel } from '../../trace/model/stand-in.ts';
import { ValueView } from '../../trace/parts/ValueView.tsx';
import { useRunTrace, type RunTrace } from '../../trace/model/use-run-trace.ts';
import { currentAgent, nodeResult, type NodeResult, type ToolCallResult } from './node-result.ts';

export interface ResultsProps {
  readonly namespace: string;
  readonly task: string;
  /** The one selected agent; undefined shows the run. */
  readonly agent: string | undefined;
  /** Agents in the order of the canvas, to choose by. */
  readonly agents: readonly string[];
  /** Undefined returns to the run. */
  readonly onAgent: (agent: string | undefined) => void;
  /** Actions below the output of an agent. */
  readonly actions: (agent: string) => ReactNode;
}

interface MetricsProps {
  readonly elapsedMs: number | undefined;
  readonly tokens: number | undefined;
  readonly costUsd: number | undefined;
  readonly more?: readonly string[];
}

function Metrics({ elapsedMs, tokens, costUsd = 0, more = [] }: MetricsProps) {
  const parts = [
    ...(elapsedMs === undefined ? [] : [formatDuration(elapsedMs)]),
    ...(tokens === undefined ? [] : [`${formatNumber(tokens)} tokens`]),
    ...(costUsd > 0 ? [formatCost(costUsd)] : []),
    ...more,
  ];
  return <p className="text-sm text-muted tabular-nums">{parts.join(' · ')}</p>;
}

function turnMetrics({ elapsedMs, tokens, costUsd, turns, turn }: NodeResult): MetricsProps {
  const more = [...(turns > 1 ? [`turn ${turns}`] : []), ...(turn.pinned === undefined ? [] : [standInLabel(turn.pinned)])];
  return { elapsedMs, tokens, costUsd, more };
}

function ToolCall({ call }: { readonly call: ToolCallResult }) {
  const bad = call.state === 'failed' || call.state === 'denied';
  return (
    <details className="rounded-md border border-border bg-surface">
      <summary className="flex min-h-8 cursor-pointer items-center gap-2 px-2.5 py-1">
        <span className="min-w-0 flex-1 truncate font-mono text-sm">{call.tool}</span>
        <span className="text-sm text-muted tabular-nums">{formatDuration(call.elapsedMs)}</span>
        <Badge tone={bad ? 'danger' : call.state === 'waiting' ? 'waiting' : call.state === 'running' ? 'running' : 'ok'}>
          {call.state}
        </Badge>
      </summary>
      <div className="flex flex-col gap-2 border-t border-border p-2.5">
        {call.error !== undefined && <UntrustedText text={call.error} className="text-danger" />}
        <ValueView title="Arguments" value={call.input} />
        <ValueView title="Result" value={call.output} />
      </div>
    </details>
  );
}

const COLUMNS = 'grid min-h-0 grid-cols-2 gap-4 px-4 py-3 max-md:grid-cols-1';

interface AgentResultProps {
  readonly trace: RunTrace;
  readonly agent: string;
  /** The run has ended. */
  readonly over: boolean;
  readonly actions: ReactNode;
}

function AgentResult({ trace, agent, over, actions }: AgentResultProps) {
  const { store } = trace;
  const result = nodeResult(store, agent);
  if (!result)
    return (
      <p className="px-4 py-3 text-muted">
        {agent} {over ? 'had no turn in this run' : 'has not begun'}.
      </p>
    );
  return (
    <div className={COLUMNS}>
      <div className="flex min-w-0 flex-col gap-3">
        {result.inputs.map(({ from, content, truncated }, index) => (
          <ValueView key={index} title={from === 'Run input' ? 'Input' : `From ${from}`} value={content} truncated={truncated} prose />
        ))}
        {result.tools.length > 0 && (
          <section aria-label="Tool calls" className="flex flex-col gap-1">
            <h3 className="text-sm font-medium text-muted">Tool calls</h3>
            {result.tools.map((call) => (
              <ToolCall key={call.id} call={call} />
            ))}
          </section>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <Metrics {...turnMetrics(result)} />
        {result.speaking && <LiveAnswer key={result.speaking.id} run={trace.run} span={result.speaking} />}
        {result.error !== undefined && <UntrustedText block text={result.error} className="text-danger" />}
        <ValueView title="Output" value={result.output} truncated={result.truncated} prose />
        {actions}
      </div>
    </div>
  );
}

const waitsForApproval = (run: Run) => phaseOf(run) === 'WaitingApproval';

interface RunResultProps {
  readonly trace: RunTrace;
  readonly run: Run | undefined;
  /** Reason why the run cannot be read. */
  readonly error: unknown;
}

function RunResult({ trace, run, error }: RunResultProps) {
  const { store } = trace;
  const working = currentAgent(store);
  const result = working === undefined ? undefined : nodeResult(store, working);
  if (!run) return <p className="px-4 py-3 text-muted">{error == null ? 'Loading…' : 'This run has no results to show.'}</p>;
  const over = hasEnded(run);
  const { answer } = runOutput(run.status.output);
  const { message } = troubleOf(run);
  return (
    <div className={COLUMNS}>
      <div className="min-w-0">
        <ValueView title="Input" value={run.spec.input} />
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        {over && <Metrics elapsedMs={durationOf(run, Date.now())} tokens={tokensOf(run)} costUsd={run.status.costUsd} />}
        {over && hasFailed(run) && message !== undefined && <UntrustedText block text={message} className="text-danger" />}
        {over && <EndNotes trace={trace} />}
        {over && <ValueView title="Answer" value={answer ?? (hasFailed(run) ? undefined : '')} prose />}
        {!over && !waitsAtBreakpoint(run) && !waitsForApproval(run) && (
          <p className="flex items-center gap-2 text-sm text-muted">
            <Spinner className="size-3.5" /> {working === undefined ? 'The run starts' : `${working} works`}
          </p>
        )}
        {!over && result?.speaking && <LiveAnswer key={result.speaking.id} run={trace.run} span={result.speaking} />}
      </div>
    </div>
  );
}

export function Results({ namespace, task, agent, agents, onAgent, actions }: ResultsProps) {
  const { data, error } = useQuery(api.resources.get.queryOptions({ kind: 'Task', namespace, name: task }));
  const trace = useRunTrace({ namespace, name: task, uid: data?.metadata.uid });
  const { scope } = useScope();
  const choices = [undefined, ...agents];
  const run = data && asRun(data);
  const over = run !== undefined && hasEnded(run);
  return (
    <section aria-label="Results of the run" className="flex min-h-0 flex-1 flex-col bg-surface">
      <div role="group" aria-label="Result of" className="flex shrink-0 gap-1 overflow-x-auto border-b border-border px-3 py-1">
        {choices.map((choice) => (
          <button
            key={choice ?? ''}
            type="button"
            aria-pressed={choice === agent}
            onClick={() => onAgent(choice)}
            className={cn(
              'h-7 shrink-0 rounded-md px-2 whitespace-nowrap hover:bg-hover',
              choice === agent ? 'bg-accent-soft font-medium' : 'text-muted',
            )}
          >
            {choice ?? 'Answer'}
          </button>
        ))}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {run?.spec.trial && <BreakpointCard key={run.metadata.uid} run={run} trace={trace} compact className="px-4 pt-3" />}
        {run && waitsForApproval(run) && <WaitingCard run={run} scope={scope} className="mx-4 mt-3" />}
        {agent === undefined ? (
          <RunResult trace={trace} run={run} error={error} />
        ) : (
          <AgentResult key={agent} trace={trace} agent={agent} over={over} actions={over && actions(agent)} />
        )}
      </div>
    </section>
  );
}
