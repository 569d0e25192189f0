// The run in one line: wall clock, calls, tokens over time, cost.
import { formatCompact, formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { Sparkline } from '../../../ui/status/Sparkline.tsx';
import type { TraceStats } from './trace-stats.ts';

export interface TraceSummaryProps {
  readonly stats: TraceStats;
}

export function TraceSummary({ stats }: TraceSummaryProps) {
  const { wallClockMs, modelCalls, toolCalls, tokens, costUsd, tokenCurve } = stats;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 px-6 pt-2 text-sm text-muted max-sm:px-4">
      <Stat value={formatDuration(wallClockMs)} label="wall clock" />
      <Stat value={formatNumber(modelCalls)} label={modelCalls === 1 ? 'model call' : 'model calls'} />
      <Stat value={formatNumber(toolCalls)} label={toolCalls === 1 ? 'tool call' : 'tool calls'} />
      <Stat value={formatCompact(tokens)} label="tokens" />
      {tokenCurve.length > 0 && (
        <span className="w-20">
          <Sparkline values={tokenCurve} label={`Tokens as they added up, ${formatNumber(tokens)} in the end`} className="h-5" />
        </span>
      )}
      <Stat value={costUsd === undefined ? 'Price unknown' : formatCost(costUsd)} label="cost" />
    </div>
  );
}

function Stat({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span className="whitespace-nowrap">
      <span className="font-medium text-text tabular-nums">{value}</span> {label}
    </span>
  );
}
