// The run in one line: wall clock, calls, tokens over time, cost.
import type { ReactNode } from 'react';
import { formatCompact, formatCost, formatDuration, formatNumber } from '../../../ui/format.ts';
import { Sparkline } from '../../../ui/Sparkline.tsx';
import type { TraceFigures } from './trace-stats.ts';

export interface TraceSummaryProps {
  readonly figures: TraceFigures;
  readonly live: boolean;
  /** Menus at the right. */
  readonly actions?: ReactNode;
}

export function TraceSummary({ figures, live, actions }: TraceSummaryProps) {
  const { wallClockMs, modelCalls, toolCalls, tokens, costUsd, tokenCurve } = figures;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 px-6 pt-2 text-sm text-muted max-sm:px-4">
      <Figure value={formatDuration(wallClockMs)} label={live ? 'wall clock so far' : 'wall clock'} />
      <Figure value={formatNumber(modelCalls)} label={modelCalls === 1 ? 'model call' : 'model calls'} />
      <Figure value={formatNumber(toolCalls)} label={toolCalls === 1 ? 'tool call' : 'tool calls'} />
      <Figure value={formatCompact(tokens)} label="tokens" />
      {tokenCurve.length > 0 && (
        <span className="w-20">
          <Sparkline values={tokenCurve} label={`Tokens as they added up, ${formatNumber(tokens)} in the end`} className="h-5" />
        </span>
      )}
      <Figure value={costUsd === undefined ? 'Price unknown' : formatCost(costUsd)} label="cost" />
      {actions != null && <span className="ml-auto flex flex-wrap items-center gap-2">{actions}</span>}
    </div>
  );
}

function Figure({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span className="whitespace-nowrap">
      <span className="font-medium text-text tabular-nums">{value}</span> {label}
    </span>
  );
}
