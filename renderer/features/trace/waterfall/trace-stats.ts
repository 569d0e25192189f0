// Metrics of a whole trace: wall clock, number of calls, tokens over time. Pure.
import type { SpanFold } from '../model/spans.ts';

export interface TraceStats {
  readonly wallClockMs: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  /** Undefined while the price of a call is unknown. */
  readonly costUsd: number | undefined;
  /** Tokens so far, at even distances of time. */
  readonly tokenCurve: readonly number[];
}

const CURVE_POINTS = 60;

function tokenCurve({ tokenSteps, root }: SpanFold, now: number): readonly number[] {
  if (!root || tokenSteps.length === 0) return [];
  const span = Math.max(1, now - root.start);
  let at = 0;
  let total = 0;
  return Array.from({ length: CURVE_POINTS }, (_, index) => {
    const until = root.start + (span * (index + 1)) / CURVE_POINTS;
    for (let step = tokenSteps[at]; step && step.at <= until; step = tokenSteps[at]) {
      ({ total } = step);
      at += 1;
    }
    return total;
  });
}

export function traceStats(fold: SpanFold, now: number): TraceStats {
  const { root, spans } = fold;
  let modelCalls = 0;
  let toolCalls = 0;
  for (const { kind } of spans) {
    if (kind === 'model') modelCalls += 1;
    else if (kind === 'tool') toolCalls += 1;
  }
  return {
    wallClockMs: root ? (root.end ?? now) - root.start : 0,
    modelCalls,
    toolCalls,
    tokens: root ? root.inputTokens + root.outputTokens : 0,
    costUsd: root && root.unpriced === 0 ? root.costUsd : undefined,
    tokenCurve: tokenCurve(fold, now),
  };
}

export interface MinimapBin {
  /** Minimum number of calls in flight in this part of the time. */
  readonly busy: number;
  readonly failed: boolean;
}

/** Load in equal parts of the line. */
export function minimapBins(
  { spans }: SpanFold,
  place: (at: number) => number,
  options: { readonly now: number; readonly bins: number },
): readonly MinimapBin[] {
  const { now, bins } = options;
  const change = Array.from({ length: bins + 1 }, () => 0);
  const failed = new Set<number>();
  const bin = (at: number) => Math.min(bins - 1, Math.max(0, Math.floor(place(at) * bins)));
  for (const { kind, start, end, state } of spans) {
    if (kind !== 'model' && kind !== 'tool') continue;
    const from = bin(start);
    const to = bin(end ?? now);
    change[from] = (change[from] ?? 0) + 1;
    change[to + 1] = (change[to + 1] ?? 0) - 1;
    if (state === 'failed' || state === 'denied') failed.add(to);
  }
  let busy = 0;
  return Array.from({ length: bins }, (_, index) => {
    busy += change[index] ?? 0;
    return { busy, failed: failed.has(index) };
  });
}
