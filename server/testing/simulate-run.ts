// Runs the pure core without a store: settles, performs one outstanding call after the other, keeps the journal. For tables and property tests.
import type { DecideMoment, Effect } from '../engine/core/decision.ts';
import { openApprovals, resolveApproval, unknownOutcomes } from '../engine/core/approvals.ts';
import type { ApprovalVerdict, Entry, ReviewVerdict } from '../engine/core/entries.ts';
import { applyEntry } from '../engine/core/apply-entry.ts';
import { openReviews, resolveReview } from '../engine/core/reviews.ts';
import { entryHandOvers } from '../engine/core/routing.ts';
import { stepTag } from '../engine/core/scope.ts';
import { settle, type Outcome } from '../engine/core/settle.ts';
import type {
  AgentSnapshot,
  JoinPolicy,
  NodeSnapshot,
  ReviewPoint,
  RunSnapshot,
  TaskSnapshot,
  ToolSnapshot,
} from '../engine/core/snapshot.ts';
import { newRunState, type ApprovalState, type ReviewState, type RunState } from '../engine/core/state.ts';
import type { CallRuling, PendingToolCall, PendingModelCall } from '../engine/core/verdicts.ts';
import type { ChatMessage, ModelResponse, ModelVerdict } from '../engine/ports.ts';
import { modelAnswer } from './engine.ts';
import { modelSpec, toolSpec } from './specs.ts';

/** Simulated answers of models, tools, people and governance; throwing a Failure-like object fails the call. Must depend on its argument alone. */
export interface World {
  readonly model: (call: {
    agent: string;
    agentStep: number;
    messageAttempt: number;
    attempt: number;
    user: string;
    messages: readonly ChatMessage[];
  }) => Partial<ModelResponse> | SimulatedFailure;
  readonly tool?: (call: { agent: string; tool: string; input: unknown }) => string | SimulatedFailure;
  /** Decision on a call of unknown outcome; default: send it again. */
  readonly person?: (approval: ApprovalState) => Omit<ApprovalVerdict, 'name'>;
  /** Decision on an output; default: approved. */
  readonly reviewer?: (review: ReviewState) => Omit<ReviewVerdict, 'name'>;
  /** Verdict of governance on a call at this moment; default: allow it. */
  readonly judge?: (pending: PendingToolCall) => CallRuling;
  readonly judgeModel?: (pending: PendingModelCall) => ModelVerdict;
}

const ALLOW = { verdict: 'allow', rule: { kind: 'default' }, findings: [] } as const;

export class SimulatedFailure {
  readonly code: string;
  readonly retryable: boolean;
  constructor(code: string, retryable: boolean) {
    this.code = code;
    this.retryable = retryable;
  }
}

export interface Simulation {
  readonly state: RunState;
  readonly journal: Entry[];
  /** Request ids in the order they were performed. */
  readonly performed: string[];
}

export interface SimulationOptions {
  readonly world: World;
  /** Which of the outstanding calls ends next, or, behind them, which question is answered next; default the first. */
  readonly pick?: (count: number) => number;
  /** Journal to continue from, as after a crash. */
  readonly journal?: readonly Entry[];
}

export const joinPolicy = (policy: Partial<JoinPolicy> = {}): JoinPolicy => ({
  mode: 'wait_for_all',
  quorumCount: 0,
  quorumPercent: 0,
  onFailure: 'deadletter',
  ...policy,
});

export function agentSnapshot(name: string, agent: Partial<AgentSnapshot> = {}): AgentSnapshot {
  return {
    name,
    prompt: `You are ${name}.`,
    model: 'mock',
    tools: [],
    roles: [],
    allowedTools: [],
    maxSteps: 10,
    timeoutMs: 0,
    profile: 'dynamic',
    toolSequence: [],
    outputMarkers: [],
    duplicateToolCalls: 'short_circuit',
    onContractViolation: 'non_retryable_error',
    toolUse: 'run_llm_again',
    ...agent,
  };
}

/** A Tool of namespace `default` as a run freezes it. */
export const toolSnapshot = (name: string, spec: object): ToolSnapshot => ({ namespace: 'default', name, spec: toolSpec(spec) });

export interface SnapshotParts {
  readonly agents: readonly AgentSnapshot[];
  readonly nodes?: Readonly<Record<string, Partial<NodeSnapshot>>>;
  readonly entrypoints?: readonly string[];
  readonly task?: Partial<TaskSnapshot>;
  /** Risk level of every tool; default low. */
  readonly risk?: string;
  readonly completionReview?: ReviewPoint;
}

export const reviewPoint = (checkpointId: string, point: Partial<ReviewPoint> = {}): ReviewPoint => ({
  checkpointId,
  reason: '',
  ttlMs: 600_000,
  allowRequestChanges: true,
  maxReviewCycles: 3,
  ...point,
});

export function runSnapshot({ agents, nodes = {}, entrypoints, task, risk = 'low', completionReview }: SnapshotParts): RunSnapshot {
  const names = agents.map(({ name }) => name);
  const targets = new Set(Object.values(nodes).flatMap((node) => (node.routes ?? []).map(({ to }) => to)));
  const tools = [...new Set(agents.flatMap((agent) => agent.tools))];
  return {
    task: {
      uid: '00000000-0000-7000-8000-000000000001',
      namespace: 'default',
      name: 'task',
      generation: 1,
      input: { topic: 'sea' },
      maxTurns: 0,
      retry: { maxAttempts: 1, backoffMs: 0 },
      messageRetry: { maxAttempts: 1, backoffMs: 0, maxBackoffMs: 1_000, jitter: 'none', nonRetryable: [], inherited: true },
      ...task,
    },
    system: {
      namespace: 'default',
      name: 'system',
      generation: 1,
      entrypoints: entrypoints ?? names.filter((name) => !targets.has(name)),
      nodes: Object.fromEntries(names.map((name) => [name, { routes: [], ...nodes[name] }])),
      ...(completionReview && { completionReview }),
    },
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    models: { mock: { namespace: 'default', name: 'mock', spec: modelSpec({ provider: 'mock' }) } },
    tools: Object.fromEntries(tools.map((name) => [name, toolSnapshot(name, { type: 'http', risk_level: risk })])),
  };
}

const STEPS_MAX = 5_000;

/** Runs until the task ends or waits for its next attempt, which then begins at once. */
export function simulate(snapshot: RunSnapshot, { world, pick = () => 0, journal: given = [] }: SimulationOptions): Simulation {
  const state = newRunState();
  const journal: Entry[] = [];
  const performed: string[] = [];
  let now = 1_000;
  const add = (entry: Entry) => {
    applyEntry(state, entry);
    journal.push(entry);
  };
  for (const entry of given) add(entry);
  now = Math.max(now, ...given.map(({ at }) => at));
  if (given.length === 0) add(started(snapshot, 1, now));
  else if (state.status !== 'finished') takeOver(state, { now, add });
  for (let n = 0; n < STEPS_MAX; n += 1) {
    now += 1;
    const { entries, decision } = settleWith(state, world, { now, random: () => 0.5, worker: 'worker-1' });
    journal.push(...entries);
    if (decision.kind === 'finished') return { state, journal, performed };
    if (decision.kind === 'next_attempt') {
      now = Math.max(now, decision.at);
      add(started(snapshot, state.attempts + 1, now));
      continue;
    }
    const choices = [...decision.effects, ...openReviews(state), ...openApprovals(state)];
    const chosen = choices.length > 0 ? choices[pick(choices.length) % choices.length] : undefined;
    if (!chosen) now = Math.max(now, decision.wakeAt ?? now);
    else if ('tag' in chosen) add(review(state, { asked: chosen, world, at: now }));
    else if ('reason' in chosen) add(answer(state, { asked: chosen, world, at: now }));
    else {
      performed.push(chosen.key);
      add(perform(state, { effect: chosen, world, at: now }));
    }
  }
  throw new Error('the simulated run does not end');
}

/** Records the first entries of another worker. */
function takeOver(state: RunState, { now, add }: { now: number; add: (entry: Entry) => void }): void {
  const data = { worker: 'worker-2', fence: 2, takeover: true, attempt: state.attempts };
  add({ type: 'run.claimed', at: now, data });
  for (const entry of unknownOutcomes(state, { now })) add(entry);
}

/** As the shell does it: settles, lets pending calls be judged, and settles again. */
export function settleWith(state: RunState, world: Pick<World, 'judge' | 'judgeModel'>, moment: DecideMoment): Outcome {
  const verdicts = { calls: new Map<string, CallRuling>(), models: new Map<string, ModelVerdict>() };
  const entries: Entry[] = [];
  for (let n = 0; n < STEPS_MAX; n += 1) {
    const settled = settle(state, { ...moment, verdicts });
    entries.push(...settled.entries);
    const { decision } = settled;
    if (decision.kind !== 'judge') return { entries, decision };
    for (const pending of decision.pendingCalls) {
      if (verdicts.calls.has(pending.key) || verdicts.models.has(pending.key)) throw new Error(`${pending.key} is judged twice`);
      if (pending.kind === 'call') verdicts.calls.set(pending.key, world.judge?.(pending) ?? ALLOW);
      else verdicts.models.set(pending.key, world.judgeModel?.(pending) ?? ALLOW);
    }
  }
  throw new Error('the simulated run does not settle');
}

function answer(state: RunState, { asked, world, at }: { asked: ApprovalState; world: World; at: number }): Entry {
  const verdict = world.person?.(asked) ?? approval(asked);
  const entry = resolveApproval(state, { name: asked.name, ...verdict }, at);
  if (!entry) throw new Error(`nobody waits for ${asked.name}`);
  return entry;
}

function review(state: RunState, { asked, world, at }: { asked: ReviewState; world: World; at: number }): Entry {
  const entry = resolveReview(state, { name: asked.name, ...(world.reviewer?.(asked) ?? { decision: 'approved' }) }, at);
  if (!entry) throw new Error(`nobody waits for ${asked.name}`);
  return entry;
}

function approval({ reason }: ApprovalState): Omit<ApprovalVerdict, 'name'> {
  if (reason === 'unknown_outcome') return { decision: 'approved', outcome: 'run_again' };
  return { decision: 'approved', decision_record: 1, call_hash: 'sha256:simulated' };
}

function started(snapshot: RunSnapshot, attempt: number, at: number): Entry {
  return { type: 'run.started', at, data: { attempt, snapshot, hand_overs: entryHandOvers(snapshot, attempt) } };
}

function perform(state: RunState, { effect, world, at }: { effect: Effect; world: World; at: number }): Entry {
  const { turn, key: request_id } = effect;
  const attempt = state.attempt;
  const step = turn.step;
  if (!attempt || !step) throw new Error('an effect without a step');
  const tag = { ...stepTag({ attempt, turn }, step), request_id };
  const failure = ({ code, retryable }: SimulatedFailure) => ({ code, retryable, message: `simulated ${code}`, latency_ms: 1 });
  if (effect.kind === 'model') {
    const user = turn.transcript.find(({ role }) => role === 'user')?.content ?? '';
    const { agent, messageAttempt, transcript: messages } = turn;
    const call = { agent: agent.name, agentStep: step.agentStep, messageAttempt, attempt: attempt.number, user, messages };
    const result = world.model(call);
    if (result instanceof SimulatedFailure) return { type: 'model.failed', at, data: { ...tag, ...failure(result) } };
    const {
      content,
      toolCalls: tool_calls,
      usage,
      finishReason: finish_reason,
      model,
      providerState: provider_state,
    } = modelAnswer(result);
    const answered = { content, tool_calls, usage, finish_reason, model, ...(provider_state && { provider_state }) };
    return { type: 'model.completed', at, data: { ...tag, ...answered, latency_ms: 1 } };
  }
  const { call } = effect;
  const callTag = { ...tag, index: call.index, call_id: call.request.id, tool: call.request.name };
  const result = (world.tool ?? (() => 'ok'))({ agent: turn.agent.name, tool: call.request.name, input: call.input });
  if (result instanceof SimulatedFailure) return { type: 'tool.failed', at, data: { ...callTag, ...failure(result) } };
  return { type: 'tool.completed', at, data: { ...callTag, source: 'tool', output: result, latency_ms: 1 } };
}
