// `status.trace[]` and the live trace, computed from one journal entry at a time.
import type { JsonObject } from '@svc/shared/json';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { isSupportedEntry, type DataOf, type Entry, type EntryOf, type Failure, type StepTag, type TurnTag } from '../core/entries.ts';
import { restoredSnapshot } from '../core/restore.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { parseArguments } from '../core/tool-calls.ts';
import { cutText } from './cut.ts';
import { claimText, takeoverText } from './history.ts';
import { callApprovalFields, refusalType, reviewFields, toolErrorType, type Fields } from './trace-approvals.ts';

/** One trace entry, as the API returns it. */
export type TraceEntry = JsonObject;

/** The trace entries of one journal entry, in order; most give one. A tool call appears once, with its result. What a newer version wrote gives none. */
export function traceOf(entry: Entry): TraceEntry[] {
  if (!isSupportedEntry(entry)) return [];
  const at = new Date(entry.at).toISOString();
  return describe(entry).map(({ input, output, edited_input, ...fields }) => {
    const texts = { ...cutField('input', input), ...cutField('edited_input', edited_input), ...cutField('output', output) };
    const truncated = texts.truncated === true ? { truncated: true } : {};
    const all: Fields = { timestamp: at, step_id: stepId(fields), ...fields, ...texts, ...truncated };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as TraceEntry;
  });
}

export function stepId({ attempt, step }: { readonly attempt?: unknown; readonly step?: unknown }): string {
  const pad = (value: unknown, width: number) => String(typeof value === 'number' ? value : 0).padStart(width, '0');
  return `a${pad(attempt, 3)}.s${pad(step, 4)}`;
}

function cutField(name: 'input' | 'edited_input' | 'output', value: unknown): { readonly [name: string]: unknown } {
  if (value === undefined) return {};
  const cut = cutText(typeof value === 'string' ? value : JSON.stringify(value));
  return { [name]: cut.truncated || typeof value === 'string' ? cut.text : value, ...(cut.truncated && { truncated: true }) };
}

function describe(entry: Entry): Fields[] {
  switch (entry.type) {
    case 'run.started':
      return [
        {
          type: 'task_start',
          attempt: entry.data.attempt,
          step: 0,
          input: entry.data.snapshot.task.input,
          message: startMessage(entry),
          trial: entry.data.snapshot.task.trial ? true : undefined,
        },
      ];
    case 'run.restored':
      return [
        {
          type: 'task_start',
          attempt: entry.data.attempt,
          step: 0,
          message: `continues from checkpoint ${entry.data.checkpoint_id}${leftOut(restoredSnapshot(entry.data))}`,
        },
      ];
    case 'agent.started':
      return startedTurn(entry.data);
    case 'agent.completed':
      return completedTurn(entry.data);
    case 'agent.failed':
      return failedTurn(entry.data);
    case 'breakpoint.reached':
    case 'breakpoint.resolved':
      return [breakpointFields(entry)];
    case 'message.skipped':
      return [{ type: 'agent_message', attempt: entry.data.attempt, step: 0, agent: entry.data.node, message: entry.data.reason }];
    case 'join.waiting':
    case 'join.released':
    case 'join.skipped':
    case 'join.failed':
      return [joinTrace(entry)];
    case 'run.completed':
    case 'run.failed':
      return [summary(entry)];
    case 'cancel.requested':
    case 'run.paused':
    case 'run.resumed':
    case 'run.released':
    case 'run.retry_scheduled':
    case 'tool.requested':
    case 'contract.nudged':
      return [];
    case 'run.claimed':
      return entry.data.takeover || entry.data.takeovers !== undefined ? [takeover(entry.data)] : [];
    case 'turn.refused':
      return [{ ...turnFields(entry.data), ...failureFields(entry.data), type: refusalType(entry.data), rule: entry.data.rule }];
    case 'review.requested':
    case 'review.resolved':
      return [reviewFields(entry)];
    default:
      return [stepTrace(entry)];
  }
}

function startMessage({ data: { attempt, snapshot } }: EntryOf<'run.started'>): string {
  return `attempt ${attempt} of ${snapshot.system.name} begins at ${snapshot.system.entrypoints.join(', ')}${leftOut(snapshot)}`;
}

/** Bounds of the conversation that the run continues, where they left something out. */
function leftOut({ task: { conversation } }: RunSnapshot): string {
  return conversation?.leftOut === undefined ? '' : `; ${conversation.leftOut}`;
}

/** Before the first attempt there is none to count. */
function takeover(data: DataOf<'run.claimed'>): Fields {
  const { worker, from: from_worker, attempt } = data;
  const message = data.takeover ? takeoverText(data) : claimText(data);
  return { type: 'task_takeover', attempt: Math.max(1, attempt), step: 0, worker, from_worker, message };
}

function breakpointFields({ type, data }: EntryOf<'breakpoint.reached'> | EntryOf<'breakpoint.resolved'>): Fields {
  const base = { ...turnFields(data), breakpoint: data.place, turn_id: data.turn_id };
  const text = data.value === undefined ? {} : { [data.place === 'before' ? 'input' : 'output']: data.value };
  if (type === 'breakpoint.reached') {
    const message = `waits ${data.place} ${data.agent} until ${new Date(data.expires_at).toISOString()}`;
    return { ...base, type: 'breakpoint_reached', message, ...text };
  }
  const edited = data.value === undefined ? '' : `, with another ${data.place === 'before' ? 'message' : 'output'}`;
  const message = `${data.decision}${data.by ? ` by ${data.by}` : ''}${edited}`;
  const said = { decision: data.decision, reviewer: data.by, comment: data.reason };
  return { ...base, type: 'breakpoint_resolved', message, ...said, ...text };
}

function turnFields(tag: TurnTag): Fields {
  return { attempt: tag.attempt, step: 0, branch_id: tag.branch_id, agent: tag.agent };
}

function stepFields(tag: StepTag): Fields {
  return { attempt: tag.attempt, step: tag.step, branch_id: tag.branch_id, agent: tag.agent };
}

function failureFields(failure: Failure): Fields {
  return { error_code: failure.code, error_reason: failure.reason, retryable: failure.retryable, message: failure.message };
}

// ---------------------------------------------------------------- turns

function startedTurn(data: DataOf<'agent.started'>): Fields[] {
  const base = turnFields(data);
  const received = data.message_ids.map((id) => ({ ...base, type: 'agent_message_received', message: `message ${id}` }));
  const again = data.message_attempt > 1 ? `, try ${data.message_attempt}` : '';
  return [...received, { ...base, type: 'agent_start', message: `turn ${data.depth}${again}` }];
}

/** Remark on the end of an agent's branch; undefined where it ended as its routes say. */
export function endNote({ turns_exhausted: exhausted, route_ignored: ignored }: DataOf<'agent.completed'>): string | undefined {
  if (exhausted) return 'max_turns reached: the branch ends here';
  return ignored ? 'the route in the output is ignored, because its JSON is not alone on the last line' : undefined;
}

function completedTurn(data: DataOf<'agent.completed'>): Fields[] {
  const base = turnFields(data);
  const handed = data.hand_overs.map((handOver) => ({
    ...base,
    branch_id: handOver.branch_id,
    type: 'agent_message',
    to_agent: handOver.to_agent,
    message: `${data.agent} -> ${handOver.to_agent}`,
  }));
  const pinned = data.pinned && (data.pinned.task ?? 'spec');
  return [
    { ...base, type: 'agent_end', output: data.output, pinned, message: endNote(data) },
    { ...base, type: 'agent_message_processed' },
    ...handed,
  ];
}

function failedTurn(data: DataOf<'agent.failed'>): Fields[] {
  const base = { ...turnFields(data), ...failureFields(data) };
  const error = { ...base, type: 'agent_error' };
  const { disposition } = data;
  switch (disposition.kind) {
    case 'retry': {
      const message = `next attempt at ${new Date(disposition.next_attempt_at).toISOString()}`;
      return [error, { ...base, type: 'agent_message_retry_scheduled', message }];
    }
    case 'handed_over':
      return [
        error,
        { ...base, type: 'agent_message_deadletter' },
        ...disposition.hand_overs.map(({ to_agent, branch_id }) => ({
          ...turnFields(data),
          branch_id,
          type: 'agent_message',
          to_agent,
          message: `${data.agent} -> ${to_agent}`,
        })),
      ];
    case 'join':
    case 'fatal': {
      const type = data.retryable ? 'agent_message_deadletter' : 'agent_message_non_retryable';
      return data.retryable ? [error, { ...base, type }] : [error, { ...base, type }, { ...base, type: 'agent_message_deadletter' }];
    }
  }
}

function joinTrace(entry: EntryOf<'join.waiting' | 'join.released' | 'join.skipped' | 'join.failed'>): Fields {
  const base = { type: 'agent_message_join_wait', attempt: entry.data.attempt, step: 0, agent: entry.data.node };
  if (entry.type === 'join.waiting') return { ...base, ...waitingJoin(entry.data) };
  if (entry.type === 'join.failed') return { ...base, join: 'failed', ...failureFields(entry.data) };
  if (entry.type === 'join.skipped') return { ...base, join: 'skipped', message: 'skipped: no source is left' };
  const arrived = entry.data.sources.filter(({ state }) => state === 'arrived').length;
  const message = `released with ${arrived} of ${entry.data.expected} sources, ${entry.data.quorum_required} required`;
  return { ...base, join: 'released', branch_id: entry.data.branch_id, message };
}

function waitingJoin({ branch_id, source, arrived, expected, quorum_required, waits_for }: DataOf<'join.waiting'>): Fields {
  const names = waits_for.join(', ') || 'others';
  const message = `the message of ${source} arrived and waits for ${names}: ${arrived} of ${expected} sources, ${quorum_required} required`;
  return { join: 'waiting', branch_id, from_agent: source, message };
}

// ---------------------------------------------------------------- steps

type StepEntry = Exclude<Extract<Entry, { data: StepTag }>, { type: 'tool.requested' | 'contract.nudged' }>;

function stepTrace(entry: StepEntry): Fields {
  const base = stepFields(entry.data);
  switch (entry.type) {
    case 'model.requested':
      return { ...base, type: 'model_call', message: entry.data.reminder };
    case 'call.resent':
      return { ...base, type: 'call_resent', ...resent(entry.data) };
    case 'model.completed':
      return { ...base, type: 'model_output', ...modelFields(entry.data) };
    case 'model.failed': {
      const type = isUnresolved(entry.data) ? 'model_resolution_error' : 'model_error';
      return { ...base, type, latency_ms: entry.data.latency_ms, ...failureFields(entry.data) };
    }
    case 'approval.requested':
    case 'approval.resolved':
      return { ...base, ...callApprovalFields(entry) };
    case 'tool.completed':
      return { ...base, type: 'tool_call', ...toolResult(entry.data) };
    case 'tool.failed':
      return toolError(entry.data, base);
    case 'contract.warned':
      return { ...base, type: 'contract_warning', message: entry.data.message };
    case 'contract.violated':
      return { ...base, type: 'agent_contract_violation', error_code: 'contract_violation', message: entry.data.message };
  }
}

/** Its outcome is not known: it was sent before a worker was lost or a timeout cut it off. */
function resent({ tool, index, request_id }: DataOf<'call.resent'>): Fields {
  const what = index === undefined ? 'the model call' : `the call of ${tool ?? 'a tool'}`;
  const message = `${what} is sent again under its request id: no result of it was recorded`;
  return { tool, tool_request_id: index === undefined ? undefined : request_id, message };
}

/** Failures before any model was called; a 404 of the provider is an answer. */
function isUnresolved({ code, reason }: Failure): boolean {
  const resolution = code === 'secret_resolution_failed' || code === 'runtime_policy_invalid' || code === 'model_not_found';
  return resolution && reason?.startsWith('http_') !== true;
}

function usageFields({ inputTokens, outputTokens, cachedInputTokens, source }: DataOf<'model.completed'>['usage']): Fields {
  return {
    tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_input_tokens: cachedInputTokens,
    token_usage_source: source,
  };
}

function modelFields(data: DataOf<'model.completed'>): Fields {
  const { usage } = data;
  const calls = data.tool_calls.map(({ name }) => name);
  const said = calls.length > 0 ? `${data.model} asks for ${calls.join(', ')}` : `${data.model} answers (${data.finish_reason})`;
  return {
    output: data.content,
    latency_ms: data.latency_ms,
    ...usageFields(usage),
    model: data.model,
    finish_reason: data.finish_reason,
    asked_tools: calls.length > 0 ? calls : undefined,
    cost_usd: data.cost_usd,
    message: data.notice === undefined ? said : `${said}; ${data.notice}`,
  };
}

/** Input that was sent; for a call that was not sent, the model's arguments, as text only where they are not an input. */
function inputOf({ input, arguments: text }: Pick<DataOf<'tool.failed'>, 'input' | 'arguments'>): JsonObject | string | undefined {
  return input ?? (text === undefined ? undefined : (parseArguments(text) ?? text));
}

function toolResult(data: DataOf<'tool.completed'>): Fields {
  return {
    tool: data.tool,
    tool_contract_version: data.contract_version,
    tool_request_id: data.request_id,
    tool_attempt: data.attempts ?? 1,
    tool_auth_profile: data.auth?.profile,
    tool_auth_secret_ref: data.auth?.secret_ref,
    input: inputOf(data),
    output: data.output,
    latency_ms: data.latency_ms,
    isolation: data.isolation,
    ...(data.usage && usageFields(data.usage)),
    model: data.model,
    cost_usd: data.cost_usd,
    message: {
      tool: 'completed',
      cache: 'duplicate call, answered with the earlier result',
      route: 'route chosen',
      person: 'completed with the answer of a person',
    }[data.source],
  };
}

function toolError(data: DataOf<'tool.failed'>, base: Fields): Fields {
  return {
    ...base,
    type: toolErrorType(data),
    tool: data.tool,
    tool_request_id: data.request_id,
    tool_attempt: data.attempts ?? 1,
    tool_auth_profile: data.auth?.profile,
    tool_auth_secret_ref: data.auth?.secret_ref,
    tool_code: data.code,
    tool_reason: data.reason,
    input: inputOf(data),
    latency_ms: data.latency_ms,
    rule: data.rule,
    isolation: data.isolation,
    ...failureFields(data),
  };
}

function summary({ type, data }: EntryOf<'run.completed'> | EntryOf<'run.failed'>): Fields {
  const { agent, answer, tokens = 0 } = runOutput(data.output);
  const base = { type: 'task_summary', attempt: data.attempt, step: 0, agent, tokens };
  if (type === 'run.completed') return { ...base, message: 'Succeeded', output: answer };
  return { ...base, ...failureFields(data), message: `${data.phase}: ${data.message}` };
}
