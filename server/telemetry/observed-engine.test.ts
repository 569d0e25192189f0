// The whole way: Tasks on the real engine and store, their metrics at /metrics and their spans at a collector.
import { expect, onTestFinished, test } from 'vitest';
import type { ModelPort, ToolPort } from '../engine/ports.ts';
import { CallError } from '../engine/ports.ts';
import { systemClock, type Clock } from '../clock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { allowAll, modelAnswer, openEngine, putSystem, silentLog, type EngineBundle } from '../testing/engine.ts';
import { noRunListeners } from '../engine/run-listeners.ts';
import { scriptedInputs } from '../testing/scripted-inputs.ts';
import { startOtlpCollector, type CollectedSpan } from '../testing/otlp-collector.ts';
import { createTelemetry, type Telemetry } from './create-telemetry.ts';

interface Observed {
  readonly engine: EngineBundle;
  readonly telemetry: Telemetry;
}

interface Ports {
  readonly clock?: Clock;
  readonly models: ModelPort;
  readonly tools: ToolPort;
}

async function startStore(): Promise<Store> {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/** A process of its own as far as telemetry goes: its observer, its registry, its exporter. */
async function startProcess(store: Store, { models, tools, clock }: Ports, url: string, worker: object = {}): Promise<Observed> {
  const log = silentLog;
  const telemetry = await createTelemetry({
    store,
    clock: systemClock,
    log,
    version: '1.2.3',
    instance: 'here',
    otlpEndpoint: url,
    env: {},
  });
  const drive = { models, tools, governance: allowAll, random: () => 0.5, observer: telemetry.observer, runListeners: noRunListeners };
  const engine = await openEngine({ store: telemetry.store, ...(clock && { clock }), worker: { drive, ...worker } });
  onTestFinished(() => engine.worker.stop());
  onTestFinished(() => telemetry.stop());
  return { engine, telemetry };
}

/** `name` under its parents' names, sorted. */
function paths(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: CollectedSpan): string => {
    const parent = byId.get(span.parentSpanId);
    if (span.parentSpanId !== '' && !parent) return `MISSING > ${span.name}`;
    return parent ? `${path(parent)} > ${span.name}` : span.name;
  };
  return spans.map(path).sort();
}

const SEARCH = { id: 'call-1', name: 'search', arguments: '{"q":"TOOL-INPUT"}' };
const answering: ModelPort = {
  complete: async (_endpoint, { agent, step }) =>
    modelAnswer(agent === 'planner' && step === 1 ? { toolCalls: [SEARCH], finishReason: 'tool_calls' } : { content: 'OUTPUT-TEXT' }),
};
const working: ToolPort = {
  inputs: scriptedInputs(),
  canRun: () => Promise.resolve(undefined),
  invoke: async () => ({ output: 'TOOL-OUTPUT', attempts: 1 }),
};
const THREE = { planner: { tools: ['search'], prompt: 'PROMPT-TEXT' }, writer: {}, checker: {} };
const CHAIN = { planner: { edges: [{ to: 'writer' }] }, writer: { edges: [{ to: 'checker' }] } };

const TREE = [
  'invoke_workflow system',
  'invoke_workflow system > invoke_agent checker',
  'invoke_workflow system > invoke_agent checker > chat',
  'invoke_workflow system > invoke_agent planner',
  'invoke_workflow system > invoke_agent planner > chat',
  'invoke_workflow system > invoke_agent planner > chat',
  'invoke_workflow system > invoke_agent planner > execute_tool search',
  'invoke_workflow system > invoke_agent writer',
  'invoke_workflow system > invoke_agent writer > chat',
];

test('three agents in a row give one tree, and nothing that was written', async () => {
  const collector = await startOtlpCollector();
  onTestFinished(() => collector.close());
  const { engine, telemetry } = await startProcess(await startStore(), { models: answering, tools: working }, collector.url);
  await engine.put('Tool', 'search', { type: 'http', risk_level: 'low' });
  await putSystem(engine, THREE, CHAIN);
  engine.worker.start();
  const task = await engine.put('Task', 'report', { system: 'system', input: { topic: 'INPUT-TEXT' } });
  expect((await engine.until('report')).status['phase']).toBe('Succeeded');
  await engine.worker.stop();
  await telemetry.stop();
  expect(paths(collector.spans())).toEqual(TREE);
  expect(new Set(collector.spans().map(({ traceId }) => traceId))).toEqual(new Set([task.metadata.uid.replaceAll('-', '')]));
  for (const { startMs, endMs } of collector.spans()) expect(endMs).toBeGreaterThanOrEqual(startMs);
  for (const written of ['PROMPT-TEXT', 'INPUT-TEXT', 'OUTPUT-TEXT', 'TOOL-INPUT', 'TOOL-OUTPUT'])
    expect(collector.sent()).not.toContain(written);
});

test('a run whose worker dies in a tool call gives one tree, sent by two processes', async () => {
  const collector = await startOtlpCollector();
  onTestFinished(() => collector.close());
  const store = await startStore();
  let asked = 0;
  const hanging: ToolPort = {
    inputs: scriptedInputs(),
    canRun: () => Promise.resolve(undefined),
    invoke: (_call, { signal }) => {
      asked += 1;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  };
  const dead = await startProcess(store, { models: answering, tools: hanging }, collector.url, {
    heartbeatMs: 1_000_000,
    stopGraceMs: 0,
  });
  await dead.engine.put('Tool', 'search', { type: 'http', risk_level: 'low' });
  await putSystem(dead.engine, THREE, CHAIN);
  await dead.engine.put('Task', 'report', { system: 'system' });
  await dead.engine.worker.runOnce();
  await expect.poll(() => asked, { interval: 2 }).toBe(1);
  // By its clock, the lease has expired.
  const clock = { ...systemClock, now: () => Date.now() + 60_000 };
  const heir = await startProcess(store, { models: answering, tools: working, clock }, collector.url, { id: 'worker-2' });
  heir.engine.worker.start();
  await heir.engine.until('report');
  await Promise.all([heir.engine.worker.stop(), dead.engine.worker.stop()]);
  await Promise.all([heir.telemetry.stop(), dead.telemetry.stop()]);
  expect(paths(collector.spans())).toEqual(TREE);
  const workers = new Set(collector.spans().map(({ attributes }) => attributes['svc.worker']));
  expect(workers).toEqual(new Set(['worker-1', 'worker-2']));
  const page = await heir.telemetry.metrics.metrics();
  expect(page).toContain('svc_claims_total{takeover="true"} 1');
  expect(await dead.telemetry.metrics.metrics()).toContain('svc_leases_lost_total 1');
});

test('a retry and a dead letter are counted, with sane times', async () => {
  const collector = await startOtlpCollector();
  onTestFinished(() => collector.close());
  const failing: ModelPort = {
    complete: () => Promise.reject(new CallError('rate_limited', 'slow down', { retryable: true })),
  };
  const { engine, telemetry } = await startProcess(await startStore(), { models: failing, tools: working }, collector.url);
  await putSystem(engine, { writer: {} });
  engine.worker.start();
  await engine.put('Task', 'doomed', { system: 'system', message_retry: { max_attempts: 2, backoff: '1ms' } });
  expect((await engine.until('doomed')).status['phase']).toBe('DeadLetter');
  await engine.worker.stop();
  const page = await telemetry.metrics.metrics();
  const value = (series: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1),
    );
  expect(value('svc_retries_total{scope="message",code="rate_limited"}')).toBe(1);
  expect(value('svc_dead_letters_total{scope="message"}')).toBe(1);
  expect(value('svc_dead_letters_total{scope="task"}')).toBe(1);
  expect(value('svc_claims_total{takeover="false"}')).toBeGreaterThan(0);
  expect(value('svc_task_duration_seconds_sum{phase="DeadLetter"}')).toBeLessThan(30);
  expect(value('svc_claim_wait_seconds_count')).toBe(value('svc_claims_total{takeover="false"}'));
  expect(value('svc_claim_wait_seconds_sum')).toBeLessThan(30);
  expect(value('svc_journal_entries_total')).toBeGreaterThan(5);
  expect(value('svc_journal_append_seconds_count')).toBeGreaterThan(2);
  expect(value('svc_journal_append_seconds_sum')).toBeLessThan(30);
  expect(value('svc_store_transaction_seconds_count')).toBeGreaterThan(3);
  expect(value('svc_queue_tasks{state="ready"}')).toBe(0);
  expect(value('svc_observer_failures_total')).toBe(0);
});
