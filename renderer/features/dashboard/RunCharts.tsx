// Run history over time, drawn: throughput by outcome, success, duration, tokens, cost.
import { formatCompact, formatCost, formatDuration, formatNumber } from '../../ui/status/format.ts';
import { ChartFrame } from './ChartFrame.tsx';
import { LineChart } from './LineChart.tsx';
import {
  axisLabels,
  costText,
  endedOf,
  endsText,
  niceTop,
  rateText,
  successRate,
  throughputSentence,
  unpricedText,
  type RunHistory,
} from './run-stats.ts';
import { StackedBars } from './StackedBars.tsx';

export function RunCharts({ history }: { readonly history: RunHistory }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-6">
      <Throughput history={history} />
      <Success history={history} />
      <Latency history={history} />
      <Tokens history={history} />
      <Cost history={history} />
    </div>
  );
}

interface ChartProps {
  readonly history: RunHistory;
}

const most = (values: readonly (number | undefined)[]) => Math.max(0, ...values.map((value) => value ?? 0));

function Throughput({ history: { buckets, totals } }: ChartProps) {
  const top = niceTop(most(buckets.map(endedOf)));
  return (
    <ChartFrame
      title="Completed runs"
      headline={formatNumber(endedOf(totals))}
      note={endsText(totals)}
      legend={[
        { label: 'Succeeded', tone: 'ok' },
        { label: 'Failed', tone: 'warn' },
        { label: 'Dead letter', tone: 'danger' },
      ]}
      topText={formatCompact(top)}
      labels={axisLabels(buckets)}
      className="sm:col-span-2"
    >
      <StackedBars
        buckets={buckets}
        label={throughputSentence(totals, buckets.length)}
        top={top}
        stacks={[
          { id: 'ok', tone: 'ok', values: buckets.map(({ succeeded }) => succeeded) },
          { id: 'failed', tone: 'warn', values: buckets.map(({ failed }) => failed) },
          { id: 'dead', tone: 'danger', values: buckets.map(({ deadLettered }) => deadLettered) },
        ]}
      />
    </ChartFrame>
  );
}

function Success({ history: { buckets, totals } }: ChartProps) {
  const rates = buckets.map(successRate);
  return (
    <ChartFrame
      title="Success rate"
      headline={rateText(totals)}
      note={endedOf(totals) === 0 ? 'nothing ended' : `of ${formatNumber(endedOf(totals))}`}
      topText="100 %"
      labels={axisLabels(buckets)}
    >
      <LineChart
        buckets={buckets}
        label={`Success rate per hour; ${rateText(totals)} over all ${buckets.length} hours.`}
        top={1}
        lines={[{ id: 'rate', tone: 'ok', values: rates }]}
      />
    </ChartFrame>
  );
}

function Latency({ history: { buckets, totals } }: ChartProps) {
  const { p50Ms, p95Ms } = totals;
  const top = Math.max(1, most(buckets.map((hour) => hour.p95Ms))) * 1.1;
  return (
    <ChartFrame
      title="Duration"
      headline={p50Ms === undefined ? '–' : formatDuration(p50Ms)}
      note={p95Ms === undefined ? 'nothing ended' : `p95 ${formatDuration(p95Ms)}`}
      legend={[
        { label: 'p50', tone: 'accent', dashed: true },
        { label: 'p95', tone: 'waiting', dashed: true },
      ]}
      topText={p95Ms === undefined ? '' : formatDuration(top)}
      labels={axisLabels(buckets)}
    >
      <LineChart
        buckets={buckets}
        label={`Duration per hour: half of the runs within ${p50Ms === undefined ? 'an unknown time' : formatDuration(p50Ms)}, 95 per cent within ${p95Ms === undefined ? 'an unknown time' : formatDuration(p95Ms)}.`}
        top={top}
        lines={[
          { id: 'p95', tone: 'waiting', values: buckets.map((hour) => hour.p95Ms) },
          { id: 'p50', tone: 'accent', values: buckets.map((hour) => hour.p50Ms) },
        ]}
      />
    </ChartFrame>
  );
}

function Tokens({ history: { buckets, totals } }: ChartProps) {
  const top = niceTop(most(buckets.map(({ tokens }) => tokens)));
  return (
    <ChartFrame title="Tokens" headline={formatCompact(totals.tokens)} topText={formatCompact(top)} labels={axisLabels(buckets)}>
      <StackedBars
        buckets={buckets}
        label={`Tokens per hour, ${formatNumber(totals.tokens)} over all ${buckets.length} hours.`}
        top={top}
        stacks={[{ id: 'tokens', tone: 'accent', values: buckets.map(({ tokens }) => tokens) }]}
      />
    </ChartFrame>
  );
}

/** Minimum of an axis of money: smaller values are still visible as a mark. */
const CENT = 0.01;

/** As each call was recorded, like the costs of a single run. */
function Cost({ history: { buckets, totals } }: ChartProps) {
  const top = niceTop(most(buckets.map(({ costUsd }) => costUsd)), CENT);
  const left = unpricedText(totals);
  return (
    <ChartFrame
      title="Cost"
      headline={costText(totals)}
      note={left !== undefined && totals.costUsd > 0 ? `and ${left}` : left}
      topText={formatCost(top)}
      labels={axisLabels(buckets)}
    >
      <StackedBars
        buckets={buckets}
        label={`Cost per hour, ${costText(totals)} over all ${buckets.length} hours${left === undefined ? '' : `, and ${left}`}.`}
        top={top}
        stacks={[{ id: 'cost', tone: 'accent', values: buckets.map(({ costUsd }) => costUsd) }]}
      />
    </ChartFrame>
  );
}
