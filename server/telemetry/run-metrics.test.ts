// Output of /metrics after real journals.
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../clock.ts';
import type { Entry } from '../engine/core/entries.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { silentLog } from '../testing/engine.ts';
import { observeRun, testClaim } from '../testing/observed-run.ts';
import { agentSnapshot, runSnapshot, simulate, SimulatedFailure, type SnapshotParts, type World } from '../testing/simulate-run.ts';
import { combineObservers } from './combine-observers.ts';
import { createTelemetry, type Telemetry } from './create-telemetry.ts';
import { createMetricsRegistry } from './metrics.ts';
import { createRunMetrics } from './run-metrics.ts';
import { modelSpec } from '../testing/specs.ts';

async function start(change: (store: Store) => Store = (store) => store): Promise<Telemetry> {
  const opened = await openSqliteStore({ path: ':memory:', clock: systemClock });
  onTestFinished(() => opened.close());
  const options = { clock: systemClock, log: silentLog, version: '1.2.3', instance: 'here', otlpEndpoint: undefined, env: {} };
  return createTelemetry({ ...options, store: change(opened) });
}

const journalOf = (world: World, parts: SnapshotParts): Entry[] => simulate(runSnapshot(parts), { world }).journal;
const retry = { maxAttempts: 2, backoffMs: 100, maxBackoffMs: 100, jitter: 'none', nonRetryable: [], inherited: false } as const;
const WRITER: SnapshotParts = { agents: [agentSnapshot('writer', { tools: ['search', 'broken'] })] };

/** The value of one series; undefined when it is not there. */
function value(page: string, series: string): number | undefined {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const TOOLS: World = {
  model: ({ agentStep }) =>
    agentStep === 1
      ? {
          toolCalls: [
            { id: '1', name: 'search', arguments: '{}' },
            { id: '2', name: 'search', arguments: '{}' },
            { id: '3', name: 'broken', arguments: '{}' },
            { id: '4', name: 'made-up-by-the-model', arguments: '{}' },
          ],
        }
      : { content: 'done' },
  tool: ({ tool }) => (tool === 'broken' ? new SimulatedFailure('timeout', true) : 'ok'),
};

describe('/metrics', () => {
  test('counts steps, tokens and tool calls of a run, and how long it took', async () => {
    const { observer, metrics } = await start();
    const journal = journalOf(TOOLS, WRITER);
    observer.claimed(testClaim(), 40);
    observeRun(observer, journal, { writeMax: 3 });
    const page = await metrics.metrics();
    const model = 'provider="mock",model="default"';
    const seconds = ((journal.at(-1)?.at ?? 0) - (journal[0]?.at ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(0);
    const expected: Record<string, number> = {
      'svc_tasks_ended_total{phase="Succeeded",reason="none"}': 1,
      'svc_task_duration_seconds_count{phase="Succeeded"}': 1,
      'svc_task_duration_seconds_sum{phase="Succeeded"}': seconds,
      svc_task_attempts_total: 1,
      'svc_claims_total{takeover="false"}': 1,
      'svc_claims_total{takeover="true"}': 0,
      svc_claim_wait_seconds_sum: 0.04,
      svc_leases_lost_total: 0,
      svc_journal_entries_total: journal.length,
      svc_journal_append_seconds_count: Math.ceil(journal.length / 3),
      'svc_step_duration_seconds_count{kind="model",outcome="ok"}': 2,
      'svc_step_duration_seconds_sum{kind="model",outcome="ok"}': 0.002,
      'svc_step_duration_seconds_count{kind="tool",outcome="ok"}': 1,
      [`svc_model_calls_total{${model},code=""}`]: 2,
      [`svc_model_tokens_total{direction="input",${model}}`]: 20,
      [`svc_model_tokens_total{direction="output",${model}}`]: 10,
      [`svc_model_unpriced_calls_total{${model}}`]: 2,
      'svc_tool_calls_total{tool="search",outcome="ok",code=""}': 1,
      'svc_tool_calls_total{tool="search",outcome="cached",code=""}': 1,
      'svc_tool_calls_total{tool="broken",outcome="error",code="timeout"}': 1,
      'svc_tool_calls_total{tool="unknown",outcome="error",code="unsupported_tool"}': 1,
      'svc_dead_letters_total{scope="task"}': 0,
    };
    expect(Object.fromEntries(Object.keys(expected).map((series) => [series, value(page, series)]))).toEqual(expected);
  });

  test('counts the retry of a message, and the dead letter of message and Task', async () => {
    const { observer, metrics } = await start();
    const world: World = { model: () => new SimulatedFailure('rate_limited', true) };
    observeRun(observer, journalOf(world, { ...WRITER, task: { messageRetry: retry } }));
    const page = await metrics.metrics();
    expect(value(page, 'svc_retries_total{scope="message",code="rate_limited"}')).toBe(1);
    expect(value(page, 'svc_dead_letters_total{scope="message"}')).toBe(1);
    expect(value(page, 'svc_dead_letters_total{scope="task"}')).toBe(1);
    expect(value(page, 'svc_step_duration_seconds_count{kind="model",outcome="error"}')).toBe(2);
    expect(value(page, 'svc_model_calls_total{provider="mock",model="default",code="rate_limited"}')).toBe(2);
    expect(page).toMatch(/svc_tasks_ended_total\{phase="DeadLetter",reason="\w+"\} 1/);
  });

  test('counts no dead letter for a message whose Task is retried', async () => {
    const { observer, metrics } = await start();
    const world: World = { model: ({ attempt }) => (attempt === 1 ? new SimulatedFailure('timeout', true) : { content: 'done' }) };
    const inherited = { ...retry, inherited: true, maxAttempts: 1 };
    observeRun(observer, journalOf(world, { ...WRITER, task: { retry: { maxAttempts: 2, backoffMs: 100 }, messageRetry: inherited } }));
    const page = await metrics.metrics();
    expect(value(page, 'svc_retries_total{scope="task",code="timeout"}')).toBe(1);
    expect(value(page, 'svc_dead_letters_total{scope="message"}')).toBe(0);
    expect(value(page, 'svc_task_attempts_total')).toBe(2);
    expect(value(page, 'svc_tasks_ended_total{phase="Succeeded",reason="none"}')).toBe(1);
  });

  test('distinguishes takeovers and lost leases', async () => {
    const { observer, metrics } = await start();
    observer.claimed(testClaim({ takeover: true }), -5);
    observer.leaseLost(testClaim());
    const page = await metrics.metrics();
    expect(value(page, 'svc_claims_total{takeover="true"}')).toBe(1);
    expect(value(page, 'svc_claim_wait_seconds_sum')).toBe(0);
    expect(value(page, 'svc_leases_lost_total')).toBe(1);
  });

  test('shows the queue, read once for many scrapes', async () => {
    let asked = 0;
    const { store, metrics } = await start((real) => {
      const countWork: Store['countWork'] = async (...query) => {
        asked += 1;
        return real.countWork(...query);
      };
      const [transaction, listObjects] = [real.transaction.bind(real), real.listObjects.bind(real)];
      return Object.assign(Object.create(real) as Store, { countWork, transaction, listObjects });
    });
    const item = { queue: 'task', namespace: 'default', name: 'a', rank: 0, requirements: {} };
    await store.transaction(async (tx) => {
      await tx.enqueueWork({ ...item, key: 'a', notBefore: 0 });
      await tx.enqueueWork({ ...item, key: 'b', notBefore: 0 });
      await tx.enqueueWork({ ...item, key: 'c', notBefore: systemClock.now() + 60_000 });
    });
    const pages = await Promise.all([metrics.metrics(), metrics.metrics()]);
    for (const page of [...pages, await metrics.metrics()]) {
      expect(value(page, 'svc_workers{phase="Ready"}')).toBe(0);
      expect(value(page, 'svc_queue_tasks{state="ready"}')).toBe(2);
      expect(value(page, 'svc_queue_tasks{state="waiting"}')).toBe(1);
      expect(value(page, 'svc_queue_tasks{state="claimed"}')).toBe(0);
    }
    expect(asked).toBe(1);
  });

  test('continues without the queue while the store is unavailable, and counts that', async () => {
    const away = () => Promise.reject(new ServiceError('unavailable', 'the database does not answer'));
    const { store, metrics } = await start((real) =>
      Object.assign(Object.create(real) as Store, { countWork: away, listObjects: away, transaction: away }),
    );
    await expect(store.transaction(async () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
    await metrics.metrics();
    const page = await metrics.metrics();
    expect(page).not.toContain('svc_queue_tasks{');
    expect(page).not.toContain('svc_workers{');
    expect(page).toContain('svc_build_info{version="1.2.3"');
    expect(value(page, 'svc_store_transaction_seconds_count')).toBe(1);
    expect(value(page, 'svc_store_errors_total{code="unavailable"}')).toBe(3);
  });

  test('counts no refusal as a failure of the store', async () => {
    const { store, metrics } = await start();
    const refuse = async () => {
      throw new ServiceError('conflict', 'somebody else was first');
    };
    await expect(store.transaction(refuse)).rejects.toMatchObject({ code: 'conflict' });
    const page = await metrics.metrics();
    for (const code of ['unavailable', 'internal', 'write_race']) expect(value(page, `svc_store_errors_total{code="${code}"}`)).toBe(0);
  });

  test('reports the state of the process', async () => {
    const { metrics } = await start();
    const page = await metrics.metrics();
    expect(value(page, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(value(page, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value(page, 'process_start_time_seconds')).toBeGreaterThan(1_600_000_000);
    expect(value(page, 'nodejs_eventloop_active_seconds_total')).toBeGreaterThan(0);
    expect(value(page, 'nodejs_eventloop_lag_seconds')).toBeLessThan(5);
    expect(value(page, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1_000_000);
  });
});

describe('the number of series', () => {
  test('stays within bounds however many Tasks, tools, models and codes there are', () => {
    const registry = createMetricsRegistry();
    const observer = createRunMetrics(registry);
    for (let n = 0; n < 300; n += 1) {
      const tool = `tool-${n}`;
      const world: World = {
        model: ({ agentStep }) =>
          agentStep === 1 ? { toolCalls: [{ id: '1', name: tool, arguments: '{}' }] } : new SimulatedFailure(`code-${n}`, false),
      };
      const snapshot = runSnapshot({
        agents: [agentSnapshot(`agent-${n}`, { tools: [tool] })],
        task: { uid: `uid-${n}`, name: `task-${n}` },
      });
      const spec = modelSpec({ provider: `provider-${n}`, default_model: `model-${n}` });
      const { journal } = simulate({ ...snapshot, models: { mock: { namespace: 'default', name: 'mock', spec } } }, { world });
      observeRun(observer, journal, { claim: testClaim({ key: `uid-${n}`, name: `task-${n}` }) });
    }
    return registry.metrics().then((page) => {
      const series = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect(series.length).toBeLessThan(2_000);
      expect(page).toContain('tool="other"');
      expect(page).toContain('code="other"');
      expect(page).not.toMatch(/task-\d|uid-\d|agent-\d/);
      const names = new Set(page.match(/svc_[a-z_]+/g));
      for (const name of names) expect(name).toMatch(/_(seconds|total|seconds_(bucket|sum|count))$/);
    });
  });
});

describe('a fault in measuring', () => {
  test('harms neither the run nor the other observers, and is logged once', async () => {
    const registry = createMetricsRegistry();
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (...line: unknown[]) => void errors.push(line) } as never;
    const broken = () => {
      throw new Error('broken');
    };
    const faulty = { claimed: broken, recorded: broken, leaseLost: broken };
    const observer = combineObservers([faulty, createRunMetrics(registry)], { registry, log });
    observer.claimed(testClaim(), 0);
    observer.leaseLost(testClaim());
    const page = await registry.metrics();
    expect(value(page, 'svc_observer_failures_total')).toBe(2);
    expect(value(page, 'svc_leases_lost_total')).toBe(1);
    expect(errors).toHaveLength(1);
  });
});
