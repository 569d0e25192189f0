// The spans of a run, read off its journal: a task, the tries of its agents' turns, their model and tool calls. Pure, and free of every text that people
// or models wrote: names, codes and numbers only. Source: OpenTelemetry semantic conventions for generative AI, "spans" and "agent spans".
import type { DataOf, Entry, StepTag, TurnTag } from '../engine/core/entries.ts';
import type { RunState } from '../engine/core/state.ts';
import type { Claim } from '../store/store.ts';
import { modelOf, toolOf, type RunMemory, type TryMemory } from './run-memory.ts';
import { callSpanId, attemptSpanId } from './span-ids.ts';

type SpanAttributes = Readonly<Record<string, string | number | string[]>>;

/** A span that has ended. Times are milliseconds since the epoch. */
export interface SpanDraft {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the task. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** `client`: a call to another service. */
  readonly kind: 'internal' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** The code of a failure. */
  readonly errorType?: string;
}

export interface SpanContext {
  readonly traceId: string;
  /** The span of the Task. */
  readonly rootId: string;
  readonly claim: Claim;
  readonly state: RunState;
  readonly memory: RunMemory;
}

/** Names that models and providers choose are cut here. */
const NAME_MAX_CHARS = 128;

/** The spans that this entry ends, in no special order; most entries end none. */
export function spansOf(entry: Entry, context: SpanContext): SpanDraft[] {
  switch (entry.type) {
    case 'model.completed':
    case 'model.failed':
      return [modelSpan(entry, context)];
    case 'tool.completed':
    case 'tool.failed':
      return [toolSpan(entry, context)];
    case 'agent.completed':
      return [trySpan(entry.data.turn_id, { endMs: entry.at, known: tryOf(context, entry.data) }, context)];
    case 'agent.failed':
      return [trySpan(entry.data.turn_id, { endMs: entry.at, known: tryOf(context, entry.data), errorType: entry.data.code }, context)];
    case 'run.retry_scheduled':
      return openTries(entry.at, entry.data.code, context);
    case 'run.completed':
      return [...openTries(entry.at, 'left_over', context), rootSpan(entry, context)];
    case 'run.failed':
      return [...openTries(entry.at, entry.data.code, context), rootSpan(entry, context)];
    default:
      return [];
  }
}

// ---------------------------------------------------------------- task

function rootSpan(entry: Extract<Entry, { type: 'run.completed' | 'run.failed' }>, context: SpanContext): SpanDraft {
  const { traceId, rootId, state, memory } = context;
  const system = memory.snapshot?.system.name;
  const failed = entry.type === 'run.failed';
  return {
    traceId,
    spanId: rootId,
    name: system === undefined ? 'invoke_workflow' : `invoke_workflow ${system}`,
    kind: 'internal',
    startMs: state.startedAt > 0 ? state.startedAt : entry.at,
    endMs: entry.at,
    attributes: {
      ...taskAttributes(context),
      'gen_ai.operation.name': 'invoke_workflow',
      ...(system !== undefined && { 'gen_ai.workflow.name': system }),
      'svc.task.phase': failed ? entry.data.phase : 'Succeeded',
      'svc.task.attempts': state.attempts,
      'svc.task.tokens': state.tokensUsed,
      'svc.task.tool_calls': state.toolCalls,
    },
    ...(failed && { errorType: entry.data.code }),
  };
}

function taskAttributes({ claim, memory }: SpanContext): SpanAttributes {
  return {
    'svc.task.uid': claim.key,
    'svc.task.namespace': claim.namespace,
    'svc.task.name': claim.name,
    'svc.worker': claim.owner,
    'svc.attempt': memory.attempt,
    ...(memory.snapshot && { 'svc.system': memory.snapshot.system.name }),
  };
}

// ---------------------------------------------------------------- agents

function tryOf({ memory }: SpanContext, tag: TurnTag): TryMemory | undefined {
  return memory.tries.get(tag.turn_id);
}

interface TryEnd {
  readonly known: TryMemory | undefined;
  readonly endMs: number;
  readonly errorType?: string;
}

function trySpan(turnId: string, { known, endMs, errorType }: TryEnd, context: SpanContext): SpanDraft {
  const { agent = 'unknown', branchId = '', messageAttempt = 1, startedAt = endMs, sentBackBy } = known ?? {};
  const { provider, model } = modelOf(context.memory, agent);
  return {
    traceId: context.traceId,
    spanId: attemptSpanId(turnId, messageAttempt, sentBackBy),
    parentSpanId: context.rootId,
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    startMs: startedAt,
    endMs,
    attributes: {
      ...taskAttributes(context),
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.provider.name': provider,
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      'svc.branch': branchId,
      'svc.turn': turnId,
      'svc.message_attempt': messageAttempt,
    },
    ...(errorType !== undefined && { errorType }),
  };
}

/** Tries that the end of their attempt cut off: nothing else will say that they ended. */
function openTries(endMs: number, errorType: string, context: SpanContext): SpanDraft[] {
  return [...context.memory.tries].map(([turnId, known]) => trySpan(turnId, { known, endMs, errorType }, context));
}

// ---------------------------------------------------------------- calls

interface Call {
  readonly tag: StepTag & { readonly request_id: string; readonly latency_ms: number };
  readonly endMs: number;
  readonly name: string;
  readonly kind: SpanDraft['kind'];
  readonly attributes: SpanAttributes;
  readonly errorType: string | undefined;
}

function callSpan({ tag, endMs, name, kind, attributes, errorType }: Call, context: SpanContext): SpanDraft {
  const { messageAttempt = 1, sentBackBy } = tryOf(context, tag) ?? {};
  return {
    traceId: context.traceId,
    spanId: callSpanId(tag.request_id),
    parentSpanId: attemptSpanId(tag.turn_id, messageAttempt, sentBackBy),
    name,
    kind,
    startMs: endMs - tag.latency_ms,
    endMs,
    attributes: {
      ...taskAttributes(context),
      ...attributes,
      'gen_ai.agent.name': tag.agent,
      'svc.branch': tag.branch_id,
      'svc.step': tag.step,
      'svc.request_id': tag.request_id,
    },
    ...(errorType !== undefined && { errorType }),
  };
}

function modelSpan(entry: Extract<Entry, { type: 'model.completed' | 'model.failed' }>, context: SpanContext): SpanDraft {
  const { provider, model } = modelOf(context.memory, entry.data.agent);
  const answered = entry.type === 'model.completed' ? entry.data : undefined;
  return callSpan(
    {
      tag: entry.data,
      endMs: entry.at,
      name: model === undefined ? 'chat' : `chat ${model}`,
      kind: 'client',
      errorType: entry.type === 'model.failed' ? entry.data.code : undefined,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        ...(model !== undefined && { 'gen_ai.request.model': model }),
        ...(answered && answerAttributes(answered)),
      },
    },
    context,
  );
}

function answerAttributes({ model, usage, finish_reason, cost_usd }: DataOf<'model.completed'>): SpanAttributes {
  return {
    'gen_ai.response.model': model.slice(0, NAME_MAX_CHARS),
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.response.finish_reasons': [finish_reason.slice(0, NAME_MAX_CHARS)],
    'svc.usage.source': usage.source,
    ...(cost_usd !== undefined && { 'svc.cost_usd': cost_usd }),
  };
}

function toolSpan(entry: Extract<Entry, { type: 'tool.completed' | 'tool.failed' }>, context: SpanContext): SpanDraft {
  const { data } = entry;
  const tool = toolOf(context.memory, data.tool);
  return callSpan(
    {
      tag: data,
      endMs: entry.at,
      name: `execute_tool ${tool}`,
      kind: 'internal',
      errorType: entry.type === 'tool.failed' ? entry.data.code : undefined,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': data.call_id.slice(0, NAME_MAX_CHARS),
        'svc.tool.attempts': data.attempts ?? 1,
        ...(entry.type === 'tool.completed' && { 'svc.tool.source': entry.data.source }),
      },
    },
    context,
  );
}
