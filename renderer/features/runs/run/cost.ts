// Cost of a run's model calls, by agent and by model endpoint: as recorded, never recomputed. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { roundUsd } from '@svc/shared/money';

export interface CostRow {
  readonly agent: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Sum over the calls with a known price. */
  readonly cost: number;
  readonly unpriced: number;
  /** Calls whose tokens were estimated, not counted by the provider. */
  readonly estimated: number;
}

const nothing = (agent: string): CostRow => ({ agent, calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, unpriced: 0, estimated: 0 });

function plus(a: CostRow, b: Omit<CostRow, 'agent'>): CostRow {
  return {
    agent: a.agent,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: roundUsd(a.cost + b.cost),
    unpriced: a.unpriced + b.unpriced,
    estimated: a.estimated + b.estimated,
  };
}

/** One row for each agent that called a model, the most expensive first. */
export function costByAgent(entries: readonly TraceEntry[]): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const { type, agent = '', input_tokens = 0, output_tokens = 0, cost_usd, token_usage_source } of entries) {
    if (type !== 'model_output') continue;
    const call = {
      calls: 1,
      inputTokens: input_tokens,
      outputTokens: output_tokens,
      cost: cost_usd ?? 0,
      unpriced: cost_usd === undefined ? 1 : 0,
      estimated: token_usage_source === 'estimated' ? 1 : 0,
    };
    rows.set(agent, plus(rows.get(agent) ?? nothing(agent), call));
  }
  const size = (row: CostRow) => row.inputTokens + row.outputTokens;
  return [...rows.values()].sort((a, b) => b.cost - a.cost || size(b) - size(a));
}

/** Rows of agents of one endpoint together; agents of unknown endpoint have the empty text as key. */
export function costByEndpoint(rows: readonly CostRow[], endpointOf: (agent: string) => string | undefined): CostRow[] {
  const groups = new Map<string, CostRow>();
  for (const row of rows) {
    const endpoint = endpointOf(row.agent) ?? '';
    groups.set(endpoint, plus(groups.get(endpoint) ?? nothing(endpoint), row));
  }
  return [...groups.values()];
}

export function totalCost(rows: readonly CostRow[]): CostRow {
  return rows.reduce<CostRow>(plus, nothing(''));
}

/** Current price of a million tokens at an endpoint, in dollars; undefined where it has none. */
export function pricesOf(options: Readonly<Record<string, string>> | undefined): { readonly input?: number; readonly output?: number } {
  const price = (key: string) => {
    const value = options?.[key];
    const number = value !== undefined && value.trim() !== '' ? Number(value) : Number.NaN;
    return Number.isFinite(number) ? number : undefined;
  };
  const [input, output] = [price('price_input_per_million'), price('price_output_per_million')];
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}
