// The calls of one run that are in flight: started when decide asks for them, aborted when it does not any more, reported as entries.
import { invariant } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { Clock } from '../clock.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Effect } from './core/decision.ts';
import type { Entry, Failure, ToolAuth } from './core/entries.ts';
import { stepTag } from './core/scope.ts';
import type { ToolSnapshot } from './core/snapshot.ts';
import type { AttemptState } from './core/state.ts';
import { offeredTools } from './core/tool-calls.ts';
import { coalesceDeltas, type DeltaListener } from './deltas.ts';
import { CallError, type ModelPort, type ModelResponse, type ToolPort } from './ports.ts';

export interface CallDeps {
  readonly clock: Clock;
  readonly models: ModelPort;
  readonly tools: ToolPort;
  readonly log: Logger;
  /** Told of streamed model text as it comes; it is not part of the record. */
  readonly onDelta?: DeltaListener;
}

/** Kept until decide asks for it no more: a result that is in but not yet folded must not start the call again. */
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
export function createCalls(deps: CallDeps, onResult: (entry: Entry) => void): Calls {
  const flights = new Map<string, Flight>();
  const drop = (key: string) => {
    flights.get(key)?.abort.abort();
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
function perform(deps: CallDeps, { attempt, effect, signal }: Performance): Promise<Entry> {
  return effect.kind === 'model' ? askModel(deps, { attempt, effect, signal }) : callTool(deps, { attempt, effect, signal });
}

async function askModel(deps: CallDeps, { attempt, effect, signal }: Performance<Extract<Effect, { kind: 'model' }>>): Promise<Entry> {
  const { turn, key: requestId } = effect;
  const { agent } = turn;
  const startedAt = deps.clock.now();
  const step = turn.step;
  invariant(step, `a model call without a step in turn ${turn.id}`);
  const tag = { ...stepTag({ attempt, turn }, step), request_id: requestId };
  const deltas =
    deps.onDelta &&
    coalesceDeltas(deps.clock, (text) => {
      if (!signal.aborted) deps.onDelta?.({ taskUid: attempt.snapshot.task.uid, turnId: turn.id, agent: agent.name, requestId, text });
    });
  try {
    const endpoint = attempt.snapshot.models[agent.model];
    if (!endpoint) throw new CallError('model_not_found', `model ${agent.model} is not in the snapshot of this run`, { retryable: false });
    const request = { requestId, agent: agent.name, step: step.agentStep, messages: turn.transcript, tools: offeredTools(attempt, turn) };
    const response = await deps.models.complete(endpoint, request, { signal, ...(deltas && { onDelta: deltas.push }) });
    deltas?.flush();
    const at = deps.clock.now();
    return { type: 'model.completed', at, data: { ...tag, ...answerFields(response), latency_ms: at - startedAt } };
  } catch (error) {
    const at = deps.clock.now();
    return { type: 'model.failed', at, data: { ...tag, ...failureOfCall(deps, error), latency_ms: at - startedAt } };
  }
}

function answerFields({ content, toolCalls: tool_calls, usage, finishReason: finish_reason, model, costUsd }: ModelResponse) {
  return { content, tool_calls, usage, finish_reason, model, ...(costUsd !== undefined && { cost_usd: costUsd }) };
}

async function callTool(deps: CallDeps, { attempt, effect, signal }: Performance<Extract<Effect, { kind: 'tool' }>>): Promise<Entry> {
  const { turn, call, key: requestId } = effect;
  const { task, tools } = attempt.snapshot;
  const startedAt = deps.clock.now();
  const step = turn.step;
  invariant(step, `a tool call without a step in turn ${turn.id}`);
  const tool = call.request.name;
  const input = call.input ?? {};
  const place = { ...stepTag({ attempt, turn }, step), index: call.index, call_id: call.request.id, tool, request_id: requestId };
  const tag = { ...place, input, ...authOf(tools[tool]) };
  try {
    const definition = tools[tool];
    if (!definition) throw new CallError('unsupported_tool', `tool ${tool} is not in the snapshot of this run`, { retryable: false });
    const taskId = `${task.namespace}/${task.name}`;
    const invocation = { tool: definition, requestId, taskId, stream: task.uid, namespace: task.namespace, agent: turn.agent.name, input };
    const { output, attempts, contractVersion, isolation } = await deps.tools.invoke(invocation, { signal });
    const at = deps.clock.now();
    const facts = { ...(contractVersion !== undefined && { contract_version: contractVersion }), ...(isolation && { isolation }) };
    return { type: 'tool.completed', at, data: { ...tag, source: 'tool', output, attempts, ...facts, latency_ms: at - startedAt } };
  } catch (error) {
    const at = deps.clock.now();
    const attempts = error instanceof CallError ? error.attempts : 1;
    return { type: 'tool.failed', at, data: { ...tag, ...failureOfCall(deps, error), attempts, latency_ms: at - startedAt } };
  }
}

function authOf(tool: ToolSnapshot | undefined): { readonly auth?: ToolAuth } {
  const auth = tool?.spec['auth'];
  if (!isObject(auth) || typeof auth['secretRef'] !== 'string' || auth['secretRef'] === '') return {};
  return { auth: { profile: typeof auth['profile'] === 'string' ? auth['profile'] : 'bearer', secret_ref: auth['secretRef'] } };
}

/** Adapters reject with CallError; anything else is a defect of theirs, recorded without its text, which may hold anything. */
function failureOfCall(deps: CallDeps, error: unknown): Failure {
  if (!(error instanceof CallError)) {
    deps.log.error({ err: error }, 'a call failed in an unforeseen way');
    return {
      code: 'execution_failed',
      reason: 'unforeseen',
      message: 'the call failed in an unforeseen way; the server log says more',
      retryable: true,
    };
  }
  const { code, message, retryable, reason, retryAfterMs } = error;
  return {
    code,
    message,
    retryable,
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
