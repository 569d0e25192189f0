// Metrics of an experiment: sums over its ended runs, the condition to stop, and the status. Pure.
import type { ExperimentStatus } from '@svc/shared/kinds/experiment/schema';
import type { ExperimentSpec } from '@svc/shared/kinds/experiment/rules';
import { runsOf } from '@svc/shared/kinds/experiment/rules';
import { roundUsd } from '@svc/shared/money';
import type { CellRecord, ExperimentState, Stop, VariantTally } from './records.ts';

const NO_RUNS: VariantTally = {
  ...{ begun: 0, succeeded: 0, failed: 0, cancelled: 0, denied: 0 },
  ...{ tokens: 0, costUsd: 0, unpricedRuns: 0, times: [], up: 0, down: 0 },
};

export const newState = (spec: Pick<ExperimentSpec, 'variants'>): ExperimentState => ({
  begun: 0,
  active: [],
  variants: spec.variants.map(() => NO_RUNS),
});

const COUNTERS: Readonly<Record<string, 'succeeded' | 'cancelled' | 'denied'>> = {
  Succeeded: 'succeeded',
  Cancelled: 'cancelled',
  Deleted: 'cancelled',
  Denied: 'denied',
};

/** The tally with the result of a run that has ended. */
export function withResult(
  tally: VariantTally,
  { outcome = '', tokens = 0, costUsd = 0, unpricedCalls = 0, activeMs }: CellRecord,
): VariantTally {
  const counter = COUNTERS[outcome] ?? 'failed';
  return {
    ...tally,
    [counter]: tally[counter] + 1,
    tokens: tally.tokens + tokens,
    costUsd: roundUsd(tally.costUsd + costUsd),
    unpricedRuns: tally.unpricedRuns + (unpricedCalls > 0 ? 1 : 0),
    times: activeMs === undefined ? tally.times : [...tally.times, activeMs].sort((a, b) => a - b),
  };
}

export function changeVariant(state: ExperimentState, index: number, change: (tally: VariantTally) => VariantTally): ExperimentState {
  return { ...state, variants: state.variants.map((tally, at) => (at === index ? change(tally) : tally)) };
}

type Sum = Record<'begun' | 'succeeded' | 'failed' | 'cancelled' | 'denied' | 'tokens' | 'costUsd' | 'unpricedRuns', number>;

function sumOf(variants: readonly VariantTally[]): Sum {
  const keys = ['begun', 'succeeded', 'failed', 'cancelled', 'denied', 'tokens', 'costUsd', 'unpricedRuns'] as const;
  const sum = (key: (typeof keys)[number]) => variants.reduce((total, tally) => total + tally[key], 0);
  return { ...(Object.fromEntries(keys.map((key) => [key, sum(key)])) as Sum), costUsd: roundUsd(sum('costUsd')) };
}

/** The reason why no further run may begin, by the budget. */
export function budgetStop({ budget }: Pick<ExperimentSpec, 'budget'>, { variants }: ExperimentState): Stop | undefined {
  const { tokens, costUsd, unpricedRuns } = sumOf(variants);
  const { max_tokens: maxTokens = Infinity, max_cost_usd: maxCost } = budget ?? {};
  if (tokens >= maxTokens) return { reason: 'budget_reached', message: `the budget of ${maxTokens} tokens is used: ${tokens}` };
  if (maxCost === undefined) return undefined;
  if (costUsd >= maxCost) return { reason: 'budget_reached', message: `the budget of ${maxCost} US dollars is used: ${costUsd}` };
  if (unpricedRuns === 0) return undefined;
  const message = `${unpricedRuns} runs have calls whose price is not known, so the budget of ${maxCost} US dollars cannot be kept: set options.price of their ModelEndpoints, or a budget of tokens`;
  return { reason: 'cost_unknown', message };
}

const STOPPED = { cancelled: 'Cancelled', budget_reached: 'Stopped', cost_unknown: 'Stopped', cannot_run: 'Failed' } as const;

export const isOver = (spec: ExperimentSpec, { active, stop, begun }: ExperimentState): boolean =>
  active.length === 0 && (stop !== undefined || begun >= runsOf(spec));

/** `before` is the stored status. */
export function statusFrom(
  spec: ExperimentSpec,
  state: ExperimentState,
  { before, now }: { readonly before: Partial<ExperimentStatus>; readonly now: string },
): ExperimentStatus {
  const { active, stop, startedAt } = state;
  const over = isOver(spec, state);
  const completedAt = over ? (before.completedAt ?? now) : undefined;
  const { begun, ...sum } = sumOf(state.variants);
  return {
    phase: over ? (stop ? STOPPED[stop.reason] : 'Completed') : startedAt === undefined ? 'Pending' : 'Running',
    observedGeneration: 1,
    ...(stop && { reason: stop.reason, lastError: stop.message }),
    ...{ total: runsOf(spec), runs: begun, ...sum, active: active.length },
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    variants: spec.variants.map(({ name }, index) => variantMetrics(name, state.variants[index] ?? NO_RUNS)),
  };
}

function variantMetrics(name: string, { times, begun, ...tally }: VariantTally): NonNullable<ExperimentStatus['variants']>[number] {
  const [p50Ms, p95Ms] = [percentile(times, 0.5), percentile(times, 0.95)];
  return { name, runs: begun, ...tally, ...(p50Ms !== undefined && { p50Ms }), ...(p95Ms !== undefined && { p95Ms }) };
}

/** The smallest value that this share of all is not above. */
function percentile(ascending: readonly number[], share: number): number | undefined {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)];
}
