// Prometheus metrics of runs, kept from the journal's entries as they are recorded. Labels are few and bounded: never a Task, a branch or an id.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { DataOf, Entry } from '../engine/core/entries.ts';
import type { RunObserver } from '../engine/observer.ts';
import { createBoundedLabel } from './bounded-label.ts';
import { createRunMemories, forget, modelOf, remember, toolOf, type RunMemory } from './run-memory.ts';

/** Different models and tools that get series of their own in one process. */
const NAMES_MAX = 100;
/** Providers are a closed set; this is a bound all the same. */
const PROVIDERS_MAX = 20;
/** Different error codes; the closed set is a third of it. */
const CODES_MAX = 60;

const TASK_BUCKETS_S = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];
const STEP_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const CLAIM_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
const APPEND_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Outcome of a call that did not fail, by the source of its answer. */
const OUTCOMES: Readonly<Record<string, string>> = { tool: 'ok', cache: 'cached', route: 'routed', person: 'person' };

type Metrics = ReturnType<typeof taskMetrics> & ReturnType<typeof callMetrics>;

function taskMetrics(registry: Registry) {
  const registers = [registry];
  return {
    taskDuration: new Histogram({
      name: 'svc_task_duration_seconds',
      help: 'From the first start of a Task to its end, waits between attempts included.',
      labelNames: ['phase'],
      buckets: TASK_BUCKETS_S,
      registers,
    }),
    ended: new Counter({
      name: 'svc_tasks_ended_total',
      help: 'Tasks that ended, by phase and the code of their failure.',
      labelNames: ['phase', 'reason'],
      registers,
    }),
    attempts: new Counter({ name: 'svc_task_attempts_total', help: 'Attempts of Tasks that started.', registers }),
    claimWait: new Histogram({
      name: 'svc_claim_wait_seconds',
      help: 'From the moment a Task could be claimed to its claim.',
      buckets: CLAIM_BUCKETS_S,
      registers,
    }),
    claims: new Counter({
      name: 'svc_claims_total',
      help: 'Claims opened by this process; a takeover is one from a worker that did not give the Task back.',
      labelNames: ['takeover'],
      registers,
    }),
    leasesLost: new Counter({ name: 'svc_leases_lost_total', help: 'Claims of this process that were taken over or expired.', registers }),
    retries: new Counter({
      name: 'svc_retries_total',
      help: 'Tries scheduled again, of whole Tasks or of one message, by the code of the failure.',
      labelNames: ['scope', 'code'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'svc_dead_letters_total',
      help: 'Messages and Tasks that failed permanently.',
      labelNames: ['scope'],
      registers,
    }),
    approvals: new Counter({
      name: 'svc_approvals_total',
      help: 'Approvals that runs waited for: requested, then approved, denied, changes_requested or expired.',
      labelNames: ['state'],
      registers,
    }),
    append: new Histogram({
      name: 'svc_journal_append_seconds',
      help: 'Time of one write of journal entries until it was durable.',
      buckets: APPEND_BUCKETS_S,
      registers,
    }),
    entries: new Counter({ name: 'svc_journal_entries_total', help: 'Journal entries written.', registers }),
  };
}

function callMetrics(registry: Registry) {
  const registers = [registry];
  return {
    step: new Histogram({
      name: 'svc_step_duration_seconds',
      help: 'Time of one model call or one tool call, its own retries included.',
      labelNames: ['kind', 'outcome'],
      buckets: STEP_BUCKETS_S,
      registers,
    }),
    modelCalls: new Counter({
      name: 'svc_model_calls_total',
      help: 'Model calls, by the error code when they failed (else empty).',
      labelNames: ['provider', 'model', 'code'],
      registers,
    }),
    tokens: new Counter({
      name: 'svc_model_tokens_total',
      help: 'Tokens of model calls that answered.',
      labelNames: ['direction', 'provider', 'model'],
      registers,
    }),
    cost: new Counter({
      name: 'svc_model_cost_usd_total',
      help: 'Cost of model calls in US dollars, where prices are known.',
      labelNames: ['provider', 'model'],
      registers,
    }),
    unpriced: new Counter({
      name: 'svc_model_unpriced_calls_total',
      help: 'Model calls that answered and whose price is not known: their cost is missing from svc_model_cost_usd_total.',
      labelNames: ['provider', 'model'],
      registers,
    }),
    toolCalls: new Counter({
      name: 'svc_tool_calls_total',
      help: 'Tool calls: ok, error (with its code), or answered without a call (cached, routed, person).',
      labelNames: ['tool', 'outcome', 'code'],
      registers,
    }),
  };
}

/** Series that exist before anything happened, so that rates and alerts have a beginning. */
function start({ claims, deadLetters, approvals, step }: Metrics): void {
  for (const takeover of ['true', 'false']) claims.inc({ takeover }, 0);
  for (const state of ['requested', 'approved', 'denied', 'changes_requested', 'expired']) approvals.inc({ state }, 0);
  for (const scope of ['task', 'message']) deadLetters.inc({ scope }, 0);
  for (const kind of ['model', 'tool']) for (const outcome of ['ok', 'error']) step.zero({ kind, outcome });
}

class RunMetrics implements RunObserver {
  readonly #metrics: Metrics;
  readonly #memoryOf = createRunMemories();
  readonly #provider = createBoundedLabel(PROVIDERS_MAX);
  readonly #model = createBoundedLabel(NAMES_MAX);
  readonly #tool = createBoundedLabel(NAMES_MAX);
  readonly #code = createBoundedLabel(CODES_MAX);

  constructor(registry: Registry) {
    this.#metrics = { ...taskMetrics(registry), ...callMetrics(registry) };
    start(this.#metrics);
  }

  claimed({ takeover }: Parameters<RunObserver['claimed']>[0], waitedMs: number): void {
    this.#metrics.claims.inc({ takeover: String(takeover) });
    this.#metrics.claimWait.observe(seconds(waitedMs));
  }

  leaseLost(): void {
    this.#metrics.leasesLost.inc();
  }

  recorded(...[, entries, { state, appendMs }]: Parameters<RunObserver['recorded']>): void {
    this.#metrics.append.observe(seconds(appendMs));
    this.#metrics.entries.inc(entries.length);
    const memory = this.#memoryOf(state, entries);
    for (const [place, entry] of entries.entries()) {
      remember(memory, entry);
      if (entry.type === 'run.completed' || entry.type === 'run.failed') this.#ended(entry, state.startedAt);
      else if (entry.type === 'agent.failed') this.#turnFailed(entry.data, entries.slice(place + 1));
      else this.#count(entry, memory);
      forget(memory, entry);
    }
  }

  #count(entry: Entry, memory: RunMemory): void {
    switch (entry.type) {
      case 'run.started':
        return this.#metrics.attempts.inc();
      case 'run.retry_scheduled':
        return this.#metrics.retries.inc({ scope: 'task', code: this.#code(entry.data.code) });
      case 'approval.requested':
      case 'review.requested':
        return this.#metrics.approvals.inc({ state: 'requested' });
      case 'approval.resolved':
        return this.#metrics.approvals.inc({ state: entry.data.decision });
      case 'review.resolved':
        return this.#metrics.approvals.inc({
          state: entry.data.decision === 'request_changes' ? 'changes_requested' : entry.data.decision,
        });
      case 'model.completed':
        return this.#modelAnswered(entry.data, memory);
      case 'model.failed':
        this.#metrics.step.observe({ kind: 'model', outcome: 'error' }, seconds(entry.data.latency_ms));
        return this.#metrics.modelCalls.inc({ ...this.#modelLabels(memory, entry.data.agent), code: this.#code(entry.data.code) });
      case 'tool.completed':
        return this.#toolAnswered(entry.data, memory);
      case 'tool.failed':
        return this.#toolFailed(entry.data, memory);
      default:
        return;
    }
  }

  #ended({ type, at, data }: Extract<Entry, { type: 'run.completed' | 'run.failed' }>, startedAt: number): void {
    const [phase, reason] = type === 'run.completed' ? ['Succeeded', 'none'] : [data.phase, this.#code(data.code)];
    this.#metrics.ended.inc({ phase, reason });
    if (startedAt > 0) this.#metrics.taskDuration.observe({ phase }, seconds(at - startedAt));
    if (phase === 'DeadLetter') this.#metrics.deadLetters.inc({ scope: 'task' });
  }

  /** A message whose Task is retried is not lost; what follows in the same write says whether it is. */
  #turnFailed({ code, disposition }: DataOf<'agent.failed'>, following: readonly Entry[]): void {
    if (disposition.kind === 'retry') return this.#metrics.retries.inc({ scope: 'message', code: this.#code(code) });
    if (following.some(({ type }) => type === 'run.retry_scheduled')) return;
    this.#metrics.deadLetters.inc({ scope: 'message' });
  }

  #modelAnswered({ agent, usage, cost_usd, latency_ms }: DataOf<'model.completed'>, memory: RunMemory): void {
    const labels = this.#modelLabels(memory, agent);
    const { step, modelCalls, tokens, cost, unpriced } = this.#metrics;
    step.observe({ kind: 'model', outcome: 'ok' }, seconds(latency_ms));
    modelCalls.inc({ ...labels, code: '' });
    tokens.inc({ direction: 'input', ...labels }, positive(usage.inputTokens));
    tokens.inc({ direction: 'output', ...labels }, positive(usage.outputTokens));
    if (cost_usd === undefined) unpriced.inc(labels);
    else cost.inc(labels, positive(cost_usd));
  }

  #modelLabels(memory: RunMemory, agent: string): { readonly provider: string; readonly model: string } {
    const { provider, model } = modelOf(memory, agent);
    return { provider: this.#provider(provider), model: this.#model(model ?? 'default') };
  }

  #toolAnswered({ tool, source, latency_ms }: DataOf<'tool.completed'>, memory: RunMemory): void {
    const outcome = OUTCOMES[source] ?? 'ok';
    this.#metrics.toolCalls.inc({ tool: this.#tool(toolOf(memory, tool)), outcome, code: '' });
    if (source === 'tool') this.#metrics.step.observe({ kind: 'tool', outcome: 'ok' }, seconds(latency_ms));
  }

  #toolFailed({ tool, code, reason, input, latency_ms }: DataOf<'tool.failed'>, memory: RunMemory): void {
    this.#metrics.toolCalls.inc({ tool: this.#tool(toolOf(memory, tool)), outcome: 'error', code: this.#code(code) });
    // Without an input nothing was sent, and the duration of a call of unknown outcome is unknown.
    const timed = input !== undefined && reason !== 'unknown_outcome';
    if (timed) this.#metrics.step.observe({ kind: 'tool', outcome: 'error' }, seconds(latency_ms));
  }
}

/** Clocks of different machines may differ: never below zero. */
function seconds(ms: number): number {
  return positive(ms) / 1000;
}

function positive(value: number): number {
  return value > 0 ? value : 0;
}

/** Adds the metrics of runs to the registry and returns what keeps them. Once per registry. */
export function createRunMetrics(registry: Registry): RunObserver {
  return new RunMetrics(registry);
}
