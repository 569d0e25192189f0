// `/metrics` of a Task: messages, tokens, costs and latency per agent and per edge.
import type { MetricCounts } from '@svc/shared/api/runs';
import type { JsonObject } from '@svc/shared/json';
import { roundUsd } from '@svc/shared/money';
import type { Entry, EntryOf, StepTag } from '../core/entries.ts';
import { createMessageView, type MessagePhase, type MessageRecord } from './messages.ts';

type Tally = { -readonly [Name in keyof MetricCounts]: MetricCounts[Name] } & { latencies: number[] };

type Usage = Pick<Tally, 'tokens' | 'cost_usd' | 'unpriced_calls' | 'tool_calls'>;

const COUNTED: Readonly<Record<MessagePhase, 'queued' | 'running' | 'retrypending' | 'succeeded' | 'deadletter' | 'skipped'>> = {
  Queued: 'queued',
  Running: 'running',
  RetryPending: 'retrypending',
  Succeeded: 'succeeded',
  DeadLetter: 'deadletter',
  Skipped: 'skipped',
};

interface OpenTurn {
  readonly startedAt: number;
  readonly messageIds: readonly string[];
}

/** Fold all entries in with `add`; the result may be requested at any entry. `messages` is fed by this view, for readers of both. */
export function createMetricsView(messages = createMessageView()) {
  const agents = new Map<string, Tally>();
  const turns = new Map<string, OpenTurn>();
  /** One latency for each try of a message. */
  const latencies = new Map<string, number[]>();
  const spent = new Map<string, Usage>();
  /** Request ids of sent calls without a result. */
  const sent = new Set<string>();
  const step = (tag: StepTag, more: Usage) => {
    const message = turns.get(tag.turn_id)?.messageIds[0] ?? '';
    spent.set(message, sumOf(spent.get(message) ?? NOTHING, more));
    const tally = tallyOf(agents, tag.agent);
    Object.assign(tally, sumOf(tally, more));
  };
  const add = (entry: Entry) => {
    messages.add(entry);
    if (entry.type === 'agent.started') turns.set(entry.data.turn_id, { startedAt: entry.at, messageIds: entry.data.message_ids });
    if (isReopened(entry)) {
      const turn = turns.get(entry.data.turn_id);
      turns.set(entry.data.turn_id, { startedAt: entry.at, messageIds: turn?.messageIds ?? [] });
    }
    // A tool may have made a model call, such as an embedding.
    if ((entry.type === 'model.completed' || entry.type === 'tool.completed') && entry.data.usage) {
      const { usage, cost_usd } = entry.data;
      const tokens = usage.inputTokens + usage.outputTokens;
      step(entry.data, { ...NOTHING, tokens, cost_usd: cost_usd ?? null, unpriced_calls: cost_usd === undefined ? 1 : 0 });
    }
    // A call that needs an approval before it is sent again is requested twice.
    if (entry.type === 'tool.requested' && !sent.has(entry.data.request_id)) {
      sent.add(entry.data.request_id);
      step(entry.data, { ...NOTHING, tool_calls: 1 });
    }
    if (entry.type === 'tool.completed' || entry.type === 'tool.failed') sent.delete(entry.data.request_id);
    if (entry.type === 'agent.completed' || entry.type === 'agent.failed') {
      const turn = turns.get(entry.data.turn_id);
      const latency = entry.at - (turn?.startedAt ?? entry.at);
      for (const id of turn?.messageIds ?? []) latencies.set(id, [...(latencies.get(id) ?? []), latency]);
      tallyOf(agents, entry.data.agent).latencies.push(latency);
    }
  };
  const result = () => summarise([...messages.items()], { agents, latencies, spent });
  return { add, result };
}

/** A finished turn is in flight again. */
function isReopened(entry: Entry): entry is EntryOf<'review.resolved'> {
  return entry.type === 'review.resolved' && entry.data.checkpoint_type === 'task_output' && entry.data.decision === 'request_changes';
}

interface Facts {
  readonly agents: ReadonlyMap<string, Tally>;
  readonly latencies: ReadonlyMap<string, readonly number[]>;
  readonly spent: ReadonlyMap<string, Usage>;
}

function summarise(messages: readonly MessageRecord[], { agents: known, latencies, spent }: Facts) {
  // Copies of the tallies: the loop below counts into them on every call.
  const agents = new Map([...known].map(([agent, tally]) => [agent, { ...tally }]));
  const edges = new Map<string, Tally>();
  const inbound = new Map<string, number>();
  const outbound = new Map<string, number>();
  for (const message of messages) {
    const edge = tallyOf(edges, `${message.from_agent}\u0000${message.to_agent}`);
    count(edge, message);
    count(tallyOf(agents, message.to_agent), message);
    inbound.set(message.to_agent, (inbound.get(message.to_agent) ?? 0) + 1);
    if (message.from_agent !== '') outbound.set(message.from_agent, (outbound.get(message.from_agent) ?? 0) + 1);
    edge.latencies.push(...(latencies.get(message.message_id) ?? []));
    Object.assign(edge, sumOf(edge, spent.get(message.message_id) ?? NOTHING));
  }
  const per_agent = [...agents].map(([agent, tally]) => ({
    agent,
    inbound: inbound.get(agent) ?? 0,
    outbound: outbound.get(agent) ?? 0,
    ...shown(tally),
  }));
  const per_edge = [...edges].map(([key, tally]) => {
    const [from_agent = '', to_agent = ''] = key.split('\u0000');
    return { from_agent, to_agent, ...shown(tally) };
  });
  return { totals: shown(total([...agents.values()])), per_agent, per_edge };
}

function newTally(): Tally {
  const counts = { messages: 0, queued: 0, running: 0, retrypending: 0, succeeded: 0, deadletter: 0, skipped: 0 };
  return { ...counts, in_flight: 0, retry_count: 0, latencies: [], ...NOTHING };
}

const NOTHING: Usage = { tokens: 0, cost_usd: 0, unpriced_calls: 0, tool_calls: 0 };

function sumOf(a: Usage, b: Usage): Usage {
  return {
    tokens: a.tokens + b.tokens,
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : roundUsd(a.cost_usd + b.cost_usd),
    unpriced_calls: a.unpriced_calls + b.unpriced_calls,
    tool_calls: a.tool_calls + b.tool_calls,
  };
}

function tallyOf(tallies: Map<string, Tally>, key: string): Tally {
  const known = tallies.get(key) ?? newTally();
  tallies.set(key, known);
  return known;
}

function count(tally: Tally, { phase, retries }: MessageRecord): void {
  tally.messages += 1;
  tally[COUNTED[phase]] += 1;
  if (phase === 'Queued' || phase === 'Running' || phase === 'RetryPending') tally.in_flight += 1;
  tally.retry_count += retries;
}

function total(tallies: readonly Tally[]): Tally {
  const sum = newTally();
  for (const tally of tallies) {
    const { tokens, cost_usd, unpriced_calls, tool_calls, latencies, ...counts } = tally;
    for (const [key, value] of Object.entries(counts)) sum[key as keyof typeof counts] += value;
    Object.assign(sum, sumOf(sum, { tokens, cost_usd, unpriced_calls, tool_calls }));
    sum.latencies = sum.latencies.concat(latencies);
  }
  return sum;
}

function shown({ latencies, ...counts }: Tally): JsonObject {
  const sorted = [...latencies].sort((a, b) => a - b);
  const sum = sorted.reduce((all, each) => all + each, 0);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return { ...counts, latency_ms_avg: sorted.length > 0 ? Math.round(sum / sorted.length) : 0, latency_ms_p95: p95 };
}
