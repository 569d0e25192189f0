// The calls of one run that are in flight: started when decide requests them, aborted when it no longer does, reported as entries.
import { invariant } from '@svc/shared/errors';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log/log.ts';
import type { Effect } from '../core/decision.ts';
import type { Entry } from '../core/entries.ts';
import { continued, isEntryTurn } from '../core/input.ts';
import { stepTag } from '../core/scope.ts';
import type { ConversationMessage, ConversationRef } from '../core/snapshot.ts';
import type { AttemptState, CallState } from '../core/state.ts';
import { authOf } from '../core/tool-auth.ts';
import { offeredTools } from '../core/tool-calls.ts';
import { failureOfCall } from './call-failure.ts';
import type { TextPublisher } from '../live/publish-text.ts';
import { stepId } from '../views/trace.ts';
import type { ProgressListener } from './progress.ts';
import type { RunRecord } from '../run-record.ts';
import {
  CallError,
  type ApprovedCall,
  type CallProgress,
  type CallUsage,
  type ModelPort,
  type ModelResponse,
  type ToolPort,
} from '../ports.ts';

export interface CallDeps {
  readonly clock: Clock;
  readonly models: ModelPort;
  readonly tools: ToolPort;
  readonly log: Logger;
  /** Gets model text as it comes; it is not part of the record. */
  readonly texts: TextPublisher;
}

/** Additions of one run: the listener for the progress of its calls. */
export interface RunCalls extends CallDeps {
  readonly onProgress: ProgressListener;
  readonly record: RunRecord | undefined;
  /** Messages that the run continues. */
  readonly conversation: (ref: ConversationRef) => Promise<readonly ConversationMessage[]>;
}

/** Kept until decide no longer requests it: a result that arrived but is not folded yet must not start the call again. */
interface Flight {
  readonly kind: Effect['kind'];
  readonly abort: AbortController;
  landed: boolean;
}

export interface Calls {
  /** Makes the calls in flight exactly these. */
  keep(attempt: AttemptState, effects: readonly Effect[]): void;
  count(kind: Effect['kind']): number;
  abort(kind?: Effect['kind']): void;
}

/** `onResult` gets the entry of each call that ends by itself, never that of an aborted one. */
export function createCalls(deps: RunCalls, onResult: (entry: Entry) => void): Calls {
  const flights = new Map<string, Flight>();
  const drop = (key: string) => {
    const flight = flights.get(key);
    if (flight && !flight.landed) flight.abort.abort();
    flights.delete(key);
  };
  const start = (attempt: AttemptState, effect: Effect) => {
    const flight: Flight = { kind: effect.kind, abort: new AbortController(), landed: false };
    flights.set(effect.key, flight);
    void perform(deps, { attempt, effect, signal: flight.abort.signal }).then((entry) => {
      if (flights.get(effect.key) !== flight) return;
      flight.landed = true;
      onResult(entry);
    });
  };
  return {
    keep(attempt, effects) {
      const wanted = new Set(effects.map(({ key }) => key));
      for (const key of [...flights.keys()]) if (!wanted.has(key)) drop(key);
      for (const effect of effects) if (!flights.has(effect.key)) start(attempt, effect);
    },
    count: (kind) => [...flights.values()].filter((flight) => flight.kind === kind && !flight.landed).length,
    abort(kind) {
      for (const [key, flight] of [...flights]) if (kind === undefined || flight.kind === kind) drop(key);
    },
  };
}

interface Performance<E extends Effect = Effect> {
  readonly attempt: AttemptState;
  readonly effect: E;
  readonly signal: AbortSignal;
}

/** Never rejects: a failure is an entry too. */
function perform(deps: RunCalls, { attempt, effect, signal }: Performance): Promise<Entry> {
  return effect.kind === 'model' ? callModel(deps, { attempt, effect, signal }) : callTool(deps, { attempt, effect, signal });
}

async function callModel(deps: RunCalls, { attempt, effect, signal }: Performance<Extract<Effect, { kind: 'model' }>>): Promise<Entry> {
  const { turn, key: requestId } = effect;
  const { agent } = turn;
  const startedAt = deps.clock.now();
  const step = turn.step;
  invariant(step, `a model call without a step in turn ${turn.id}`);
  const tag = { ...stepTag({ attempt, turn }, step), request_id: requestId };
  const place = {
    request_id: requestId,
    step_id: stepId(tag),
    attempt: tag.attempt,
    step: tag.step,
    branch_id: tag.branch_id,
    agent: tag.agent,
  };
  const texts = [deps.texts.begin(attempt.snapshot.task.uid, place), ...(deps.record ? [deps.record.beginText(turn.id, place)] : [])];
  const onDelta = (piece: string) => {
    if (!signal.aborted) for (const text of texts) text.push(piece);
  };
  const endText = (outcome: 'recorded' | 'taken_back') => {
    for (const text of texts) text.end(outcome);
  };
  try {
    const endpoint = attempt.snapshot.models[agent.model];
    if (!endpoint) throw new CallError('model_not_found', `model ${agent.model} is not in the snapshot of this run`, { retryable: false });
    const { conversation } = attempt.snapshot.task;
    const continues = conversation && isEntryTurn(turn);
    const messages = continues ? continued(turn.transcript, await deps.conversation(conversation)) : turn.transcript;
    const request = { requestId, agent: agent.name, step: step.agentStep, messages, tools: offeredTools(attempt, turn) };
    const response = await deps.models.complete(endpoint, request, { signal, onDelta });
    endText(signal.aborted ? 'taken_back' : 'recorded');
    const at = deps.clock.now();
    return { type: 'model.completed', at, data: { ...tag, ...answerFields(response), latency_ms: at - startedAt } };
  } catch (error) {
    endText('taken_back');
    const at = deps.clock.now();
    return { type: 'model.failed', at, data: { ...tag, ...failureOfCall(deps.log, error), latency_ms: at - startedAt } };
  }
}

function answerFields({ content, toolCalls: tool_calls, usage, finishReason: finish_reason, model, ...more }: ModelResponse) {
  const { costUsd, notice, providerState } = more;
  const known = {
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(notice !== undefined && { notice }),
    ...(providerState && { provider_state: providerState }),
  };
  return { content, tool_calls, usage, finish_reason, model, ...known };
}

function spentFields({ usage, model, costUsd }: CallUsage) {
  return { usage, model, ...(costUsd !== undefined && { cost_usd: costUsd }) };
}

async function callTool(deps: RunCalls, { attempt, effect, signal }: Performance<Extract<Effect, { kind: 'tool' }>>): Promise<Entry> {
  const { turn, call, key: requestId } = effect;
  const { task, tools } = attempt.snapshot;
  const startedAt = deps.clock.now();
  const step = turn.step;
  invariant(step, `a tool call without a step in turn ${turn.id}`);
  const tool = call.request.name;
  const input = call.input ?? {};
  const callTag = { ...stepTag({ attempt, turn }, step), index: call.index, call_id: call.request.id, tool, request_id: requestId };
  const tag = { ...callTag, input, ...authOf(tools[tool]) };
  try {
    const definition = tools[tool];
    if (!definition) throw new CallError('unsupported_tool', `tool ${tool} is not in the snapshot of this run`, { retryable: false });
    const { namespace } = task;
    const place = { requestId, taskId: `${namespace}/${task.name}`, stream: task.uid, namespace, agent: turn.agent.name };
    const onProgress = (progress: CallProgress) => {
      if (!signal.aborted) deps.onProgress({ requestId, tool, agent: turn.agent.name, progress });
    };
    const invocation = { ...place, tool: definition, input, ...approvedOf(call) };
    const { output, attempts, contractVersion, isolation, spent } = await deps.tools.invoke(invocation, { signal, onProgress });
    const at = deps.clock.now();
    const facts = {
      ...(contractVersion !== undefined && { contract_version: contractVersion }),
      ...(isolation && { isolation }),
      ...(spent && spentFields(spent)),
    };
    return { type: 'tool.completed', at, data: { ...tag, source: 'tool', output, attempts, ...facts, latency_ms: at - startedAt } };
  } catch (error) {
    const at = deps.clock.now();
    const { attempts = 1, isolation } = error instanceof CallError ? error : {};
    const facts = { attempts, latency_ms: at - startedAt, ...(isolation && { isolation }) };
    return { type: 'tool.failed', at, data: { ...tag, ...failureOfCall(deps.log, error), ...facts } };
  }
}

/** The last decision that let it run: one that had it sent again is bound to the call as much as the one before it was sent. */
function approvedOf({ approved, verdict }: CallState): { readonly approved?: ApprovedCall } {
  const last = verdict?.outcome === 'run_again' && verdict.call_hash !== undefined ? verdict : approved;
  const { decision_record: decision, call_hash: callHash } = last ?? {};
  return decision === undefined || callHash === undefined ? {} : { approved: { decision, callHash } };
}
