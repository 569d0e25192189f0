// Comparison of two runs: changed definitions first, then output, path, steps, metrics.
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { Suspense, useMemo, useState, type ReactNode } from 'react';
import { serverNow } from '../../../live/server-clock.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { cn } from '../../../ui/cn.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { ComparedGraphs } from './ComparedGraphs.tsx';
import { ComparedText } from './ComparedText.tsx';
import { difference, pairAgents, pairMessages, pairSteps, stepsOf } from './compare-runs.ts';
import { metricText } from '../run/StatsTable.tsx';
import { METRIC_COLUMNS } from '../run/stats.ts';
import { WhatChanged } from './WhatChanged.tsx';
import { PairList } from './PairList.tsx';
import { durationOf, outcomeOf, type Run } from '../model/run.ts';
import { useComparedRun, type ComparedRun } from './use-compared-run.ts';
import type { RunRead } from '../model/use-run.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const JsonDiff = lazyPart(async () => (await import('../../../editor/JsonDiff.tsx')).JsonDiff);

type Read = RunRead & { readonly run: Run };

export function Comparison({ left: leftRead, right: rightRead }: { readonly left: Read; readonly right: Read }) {
  const left = useComparedRun(leftRead);
  const right = useComparedRun(rightRead);
  const other = left.run.spec.system !== right.run.spec.system || left.run.metadata.namespace !== right.run.metadata.namespace;
  return (
    <div className="flex flex-col gap-4 p-6 max-sm:p-4">
      {other && (
        <Banner tone="info" className="rounded-lg">
          These runs are of different systems. Only parts with the same name are compared.
        </Banner>
      )}
      <WhatChanged left={left} right={right} />
      <Card title="Output">
        <ComparedText label="Output of both runs" left={outputOf(left)} right={outputOf(right)} />
      </Card>
      <Input left={left} right={right} />
      <ComparedGraphs left={left} right={right} />
      <Steps left={left} right={right} />
      <Messages left={left} right={right} />
      <Card title="Metrics" description="Change from left to right." flush>
        <Facts left={left} right={right} />
      </Card>
      <Card title="Stats by agent" description="Change from left to right." flush>
        <AgentMetrics left={left} right={right} />
      </Card>
    </div>
  );
}

function outputOf({ run }: ComparedRun): string {
  return runOutput(run.status.output).answer ?? '';
}

/** One line when both had the same. */
function Input({ left, right }: Both) {
  const [before, after] = [left.run.spec.input, right.run.spec.input];
  const same = JSON.stringify(before) === JSON.stringify(after);
  return (
    <Card title="Input" flush={same}>
      {same ? (
        <p className="px-4 py-3 text-muted">Both runs had the same input.</p>
      ) : (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <JsonDiff label="Differences of the input" before={before} after={after} />
        </Suspense>
      )}
    </Card>
  );
}

interface Both {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
}

interface Fact {
  readonly label: string;
  readonly show: (run: ComparedRun) => ReactNode;
  /** Compared value of a fact that is not a number; absent: always shown. */
  readonly value?: (run: ComparedRun) => string;
  readonly number?: (run: ComparedRun) => number | null | undefined;
  readonly format?: (value: number) => string;
}

const FACTS: readonly Fact[] = [
  { label: 'State', show: ({ run }) => <PhasePill phase={outcomeOf(run)} />, value: ({ run }) => outcomeOf(run) },
  { label: 'Reason', show: ({ run }) => run.status.reason ?? '–', value: ({ run }) => run.status.reason ?? '' },
  { label: 'System', show: ({ run }) => run.spec.system, value: ({ run }) => run.spec.system },
  { label: 'Created', show: ({ run }) => <Time at={run.metadata.createdAt} sentence /> },
  { label: 'Duration', show: ({ run }) => formatDuration(lasting(run)), number: ({ run }) => lasting(run), format: formatDuration },
  { label: 'Attempts', show: ({ run }) => run.status.attempts ?? 0, number: ({ run }) => run.status.attempts ?? 0, format: formatNumber },
  {
    label: 'Tokens',
    show: ({ metrics }) => (metrics ? formatNumber(metrics.totals.tokens) : '–'),
    number: ({ metrics }) => metrics?.totals.tokens,
    format: formatNumber,
  },
  {
    label: 'Cost',
    show: ({ metrics }) => (metrics ? costText(metrics.totals) : '–'),
    number: ({ metrics }) => metrics?.totals.cost_usd,
    format: (value) => formatCost(value),
  },
  {
    label: 'Tool calls',
    show: ({ metrics }) => (metrics ? formatNumber(metrics.totals.tool_calls) : '–'),
    number: ({ metrics }) => metrics?.totals.tool_calls,
    format: formatNumber,
  },
  {
    label: 'Messages',
    show: ({ metrics }) => (metrics ? formatNumber(metrics.totals.messages) : '–'),
    number: ({ metrics }) => metrics?.totals.messages,
    format: formatNumber,
  },
  { label: 'Worker', show: ({ run }) => run.status.assignedWorker ?? '–', value: ({ run }) => run.status.assignedWorker ?? '' },
];

function lasting(run: Run): number {
  return durationOf(run, serverNow()) ?? Number.NaN;
}

function costText({ cost_usd, unpriced_calls }: { readonly cost_usd: number | null; readonly unpriced_calls: number }): string {
  return cost_usd === null ? `${unpriced_calls} calls unpriced` : formatCost(cost_usd);
}

const HEAD = 'px-4 py-1.5 text-left text-sm font-medium text-muted';

function Facts({ left, right }: Both) {
  const [all, setAll] = useState(false);
  const equal = FACTS.filter((fact) => isEqual(fact, left, right));
  const shown = all ? FACTS : FACTS.filter((fact) => !equal.includes(fact));
  return (
    <>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Facts of both runs">
        <table aria-label="Facts of both runs" className="w-full min-w-[36rem] table-fixed border-collapse text-base tabular-nums">
          <thead>
            <tr className="border-b border-border">
              <th scope="col" className={cn(HEAD, 'w-32')}>
                <span className="sr-only">Fact</span>
              </th>
              <th scope="col" className={cn(HEAD, 'truncate')}>
                {left.run.metadata.name}
              </th>
              <th scope="col" className={cn(HEAD, 'truncate')}>
                {right.run.metadata.name}
              </th>
              <th scope="col" className={cn(HEAD, 'w-32 text-right')}>
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((fact) => (
              <tr key={fact.label} className="border-b border-border/60 last:border-0">
                <th scope="row" className="px-4 py-1.5 text-left font-normal text-muted">
                  {fact.label}
                </th>
                <td className="truncate px-4 py-1.5">{fact.show(left)}</td>
                <td className="truncate px-4 py-1.5">{fact.show(right)}</td>
                <td className="px-4 py-1.5 text-right">
                  {fact.number && fact.format && <Change by={difference(fact.number(left), fact.number(right))} format={fact.format} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {equal.length > 0 && (
        <Button variant="ghost" size="sm" className="m-2 h-auto min-h-6 shrink text-left whitespace-normal" onClick={() => setAll(!all)}>
          {all ? 'Hide equal metrics' : `Show ${equal.length} equal: ${equal.map(({ label }) => label.toLowerCase()).join(', ')}`}
        </Button>
      )}
    </>
  );
}

function isEqual({ value, number }: Fact, left: ComparedRun, right: ComparedRun): boolean {
  const read = number ?? value;
  return read !== undefined && read(left) === read(right);
}

/** More is not always worse: the sign shows it, not a colour. */
function Change({ by, format }: { readonly by: number | undefined; readonly format: (value: number) => string }) {
  if (by === undefined || Number.isNaN(by)) return <span className="text-faint">–</span>;
  if (by === 0) return <span className="text-faint">same</span>;
  return (
    <span className="font-medium">
      {by > 0 ? '+' : '−'}
      {format(Math.abs(by))}
    </span>
  );
}

const COMPARED = METRIC_COLUMNS.filter(({ id }) => ['messages', 'calls', 'tokens', 'cost', 'avg'].includes(id));

function AgentMetrics({ left, right }: Both) {
  if (!left.metrics || !right.metrics) return <Skeleton className="m-4 h-16" />;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Stats by agent of both runs">
      <table aria-label="Stats by agent of both runs" className="w-full min-w-[44rem] border-collapse text-base tabular-nums">
        <thead>
          <tr className="border-b border-border">
            <th scope="col" className={HEAD}>
              Agent
            </th>
            {COMPARED.map(({ id, title }) => (
              <th key={id} scope="col" className={cn(HEAD, 'text-right')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pairAgents(left.metrics, right.metrics).map((pair) => (
            <tr key={pair.key} className="border-b border-border/60 last:border-0">
              <th scope="row" className="px-4 py-1.5 text-left font-medium">
                {pair.key}
                {!pair.left && <span className="ml-2 font-normal text-muted">only right</span>}
                {!pair.right && <span className="ml-2 font-normal text-muted">only left</span>}
              </th>
              {COMPARED.map((column) => {
                const [a, b] = [pair.left && column.read(pair.left), pair.right && column.read(pair.right)];
                return (
                  <td key={column.id} className="px-4 py-1.5 text-right">
                    <span className="text-muted">{a === undefined ? '–' : metricText(a, column.unit)}</span>
                    <span aria-label="to" className="px-1 text-faint">
                      →
                    </span>
                    <span className={cn(difference(a, b) !== 0 && 'font-medium')}>
                      {b === undefined ? '–' : metricText(b, column.unit)}
                    </span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Messages({ left, right }: Both) {
  const pairs = useMemo(() => pairMessages(left.messages, right.messages), [left.messages, right.messages]);
  return (
    <Card
      title="Messages"
      description={left.messagesCut || right.messagesCut ? 'The first 500 of each, by sender and receiver.' : 'By sender and receiver.'}
      flush
    >
      <PairList
        label="Messages of both runs"
        nothing="Neither run has sent a message."
        pairs={pairs}
        same={(a, b) => a.content === b.content && a.phase === b.phase}
        note={(message) => message.phase}
        render={(a, b) => <ComparedText left={a?.content ?? ''} right={b?.content ?? ''} />}
      />
    </Card>
  );
}

function stepText(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function Steps({ left, right }: Both) {
  const { store: a, version: versionA } = left.trace;
  const { store: b, version: versionB } = right.trace;
  const pairs = useMemo(
    () => (versionA >= 0 && versionB >= 0 ? pairSteps(stepsOf(a.entries), stepsOf(b.entries)) : []),
    [a, b, versionA, versionB],
  );
  return (
    <Card title="Steps" description="Model and tool calls, aligned by agent and turn." flush>
      <PairList
        label="Steps of both runs"
        nothing="Neither run has called a model or a tool."
        pairs={pairs}
        same={(x, y) => x.failed === y.failed && stepText(x.output) === stepText(y.output) && stepText(x.input) === stepText(y.input)}
        note={({ latencyMs, tokens, failed }) =>
          [
            ...(failed ? ['failed'] : []),
            ...(latencyMs === undefined ? [] : [formatDuration(latencyMs)]),
            ...(tokens === undefined ? [] : [`${formatNumber(tokens)} tokens`]),
          ].join(' · ')
        }
        render={(x, y) => (
          <div className="flex flex-col gap-3">
            {(x?.input !== undefined || y?.input !== undefined) && (
              <ComparedText title="Input" left={stepText(x?.input)} right={stepText(y?.input)} />
            )}
            <ComparedText title="Output" left={stepText(x?.output)} right={stepText(y?.output)} />
          </div>
        )}
      />
    </Card>
  );
}
