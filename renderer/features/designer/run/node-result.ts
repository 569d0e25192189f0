// Result of one agent in a followed run: its input, output, tool calls and metrics, from the run's trace. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { turnInputs } from '../../trace/model/conversation.ts';
import type { Span } from '../../trace/model/spans.ts';
import type { TraceStore } from '../../trace/model/trace-store.ts';

export interface ToolCallResult {
  readonly id: string;
  readonly tool: string;
  readonly state: Span['state'];
  readonly elapsedMs: number;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: string | undefined;
}

export interface NodeResult {
  /** Its last turn; an agent of a loop may have had several. */
  readonly turn: Span;
  readonly turns: number;
  readonly inputs: readonly { readonly from: string; readonly content: unknown; readonly truncated: boolean }[];
  readonly output: unknown;
  readonly truncated: boolean;
  readonly tools: readonly ToolCallResult[];
  readonly tokens: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  readonly error: string | undefined;
  /** The model call that still writes. */
  readonly speaking: Span | undefined;
}

const lastOf = (entries: readonly TraceEntry[], { entries: places }: Span, fits: (entry: TraceEntry) => boolean): TraceEntry | undefined =>
  places.map((place) => entries[place]).findLast((entry) => entry !== undefined && fits(entry));

function toolResult(entries: readonly TraceEntry[], span: Span, now: number): ToolCallResult {
  const asked = lastOf(entries, span, ({ input }) => input !== undefined);
  const ended = lastOf(entries, span, ({ output }) => output !== undefined);
  const failed = lastOf(entries, span, ({ error_code: code }) => code !== undefined);
  return {
    id: span.id,
    tool: span.name,
    state: span.state,
    elapsedMs: (span.end ?? now) - span.start,
    input: asked?.edited_input ?? asked?.input,
    output: ended?.output,
    error: failed?.message ?? failed?.error_code,
  };
}

/** Undefined while the agent has not begun. */
export function nodeResult(store: TraceStore, agent: string): NodeResult | undefined {
  const { entries, fold } = store;
  const turns = fold.spans.filter((span) => span.kind === 'turn' && span.agent === agent);
  const turn = turns.at(-1);
  if (!turn) return undefined;
  const ended = lastOf(entries, turn, ({ type }) => type === 'agent_end');
  const failed = lastOf(entries, turn, ({ error_code: code }) => code !== undefined);
  return {
    turn,
    turns: turns.length,
    inputs: turnInputs(entries, turn),
    output: ended?.output,
    truncated: ended?.truncated === true,
    tools: turn.children.filter(({ kind }) => kind === 'tool').map((span) => toolResult(entries, span, fold.now)),
    tokens: turn.inputTokens + turn.outputTokens,
    costUsd: turn.costUsd,
    elapsedMs: (turn.end ?? fold.now) - turn.start,
    error: ended ? undefined : (failed?.message ?? failed?.error_code),
    speaking: turn.children.findLast(({ kind, end }) => kind === 'model' && end === undefined),
  };
}

/** The agent that works or worked last: what a reader follows. */
export function currentAgent(store: TraceStore): string | undefined {
  const turns = store.fold.spans.filter(({ kind }) => kind === 'turn');
  return (turns.findLast(({ end }) => end === undefined) ?? turns.at(-1))?.agent;
}
