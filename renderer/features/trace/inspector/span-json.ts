// A span as JSON for other people: its identity and its entries. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import type { Span } from '../model/spans.ts';

export function exportedSpan(span: Span, entries: readonly TraceEntry[]): Readonly<Record<string, unknown>> {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: span.id,
    kind: span.kind,
    name: span.name,
    state: span.state,
    agent: span.agent,
    branch: span.branch,
    attempt: span.attempt,
    start: time(span.start),
    end: time(span.end),
    tries: span.tries,
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    cost_usd: span.unpriced > 0 ? null : span.costUsd,
    entries: span.entries.map((place) => entries[place]),
  };
}
