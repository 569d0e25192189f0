// The spans that a real collector gets of real journals.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../engine/core/entries.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { systemClock } from '../clock.ts';
import { silentLog } from '../testing/engine.ts';
import { hang, type Answer } from '../testing/loopback-server.ts';
import { observeRun, testClaim } from '../testing/observed-run.ts';
import { startOtlpCollector, type CollectedSpan, type OtlpCollector } from '../testing/otlp-collector.ts';
import {
  agentSnapshot,
  reviewPoint,
  runSnapshot,
  simulate,
  SimulatedFailure,
  type SnapshotParts,
  type World,
} from '../testing/simulate-run.ts';
import { createTelemetry, type Telemetry } from './create-telemetry.ts';

interface Telling extends Telemetry {
  readonly collector: OtlpCollector;
  readonly warned: unknown[];
}

async function start(env: Record<string, string> = {}, ...answers: Answer[]): Promise<Telling> {
  const collector = await startOtlpCollector(...answers);
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  const warned: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (...line: unknown[]) => void warned.push(line),
    info: () => undefined,
    error: () => undefined,
  } as never;
  const telemetry = await createTelemetry({
    store,
    clock: systemClock,
    log,
    version: '1.2.3',
    instance: 'here',
    otlpEndpoint: collector.url,
    env,
  });
  onTestFinished(() => collector.close());
  onTestFinished(() => store.close());
  onTestFinished(() => telemetry.stop());
  return { ...telemetry, collector, warned };
}

const SECRETS_OF_PEOPLE = ['PROMPT-TEXT', 'INPUT-TEXT', 'OUTPUT-TEXT', 'TOOL-INPUT', 'TOOL-OUTPUT', 'FAILURE-TEXT'];

/** writer → (critic, checker): the writer calls a tool first. */
const PARTS: SnapshotParts = {
  agents: [
    agentSnapshot('writer', { prompt: 'PROMPT-TEXT', tools: ['search'] }),
    agentSnapshot('critic', { prompt: 'PROMPT-TEXT' }),
    agentSnapshot('checker', { prompt: 'PROMPT-TEXT' }),
  ],
  nodes: {
    writer: {
      routes: ['critic', 'checker'].map((to) => ({ to, labels: {}, condition: { kind: 'success' as const } })),
    },
  },
  task: { input: { topic: 'INPUT-TEXT' } },
};

const WORLD: World = {
  model: ({ agent, agentStep }) =>
    agent === 'writer' && agentStep === 1
      ? { toolCalls: [{ id: 'call-1', name: 'search', arguments: '{"q":"TOOL-INPUT"}' }], finishReason: 'tool_calls' }
      : { content: 'OUTPUT-TEXT', costUsd: 0.5 },
  tool: () => 'TOOL-OUTPUT',
};

const journalOf = (world: World, parts: SnapshotParts = PARTS): Entry[] => simulate(runSnapshot(parts), { world }).journal;

/** `name` under its parents' names, `root > agent > call`, sorted. */
function paths(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: CollectedSpan): string => {
    if (span.parentSpanId === '') return span.name;
    const parent = byId.get(span.parentSpanId);
    return `${parent ? path(parent) : 'MISSING'} > ${span.name}`;
  };
  return spans.map(path).sort();
}

const THREE_AGENTS = [
  'invoke_workflow system',
  'invoke_workflow system > invoke_agent checker',
  'invoke_workflow system > invoke_agent checker > chat',
  'invoke_workflow system > invoke_agent critic',
  'invoke_workflow system > invoke_agent critic > chat',
  'invoke_workflow system > invoke_agent writer',
  'invoke_workflow system > invoke_agent writer > chat',
  'invoke_workflow system > invoke_agent writer > chat',
  'invoke_workflow system > invoke_agent writer > execute_tool search',
];

describe('a run', () => {
  test('is one tree of task, agents, model and tool calls, without a word that people or models wrote', async () => {
    const telling = await start();
    const journal = journalOf(WORLD);
    observeRun(telling.observer, journal, { writeMax: 1 });
    await telling.stop();
    const spans = telling.collector.spans();
    expect(paths(spans)).toEqual(THREE_AGENTS);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['00000000000070008000000000000001']));
    const recorded = JSON.stringify(journal);
    for (const secret of SECRETS_OF_PEOPLE.slice(0, 5)) {
      expect(recorded).toContain(secret);
      expect(telling.collector.sent()).not.toContain(secret);
    }
  });

  test('carries the names, numbers and codes of each call', async () => {
    const telling = await start({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test', OTEL_SERVICE_NAME: 'orders' });
    const journal = journalOf(WORLD);
    observeRun(telling.observer, journal);
    await telling.stop();
    const spans = telling.collector.spans();
    const find = (name: string) => spans.find((span) => span.name === name);
    const task = { 'svc.task.uid': testClaim().key, 'svc.task.namespace': 'default', 'svc.task.name': 'task', 'svc.worker': 'worker-1' };
    const common = { ...task, 'svc.attempt': 1, 'svc.system': 'system' };
    expect(find('execute_tool search')).toMatchObject({
      kind: 1,
      statusCode: 0,
      attributes: {
        ...common,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.id': 'call-1',
        'gen_ai.agent.name': 'writer',
        'svc.step': 1,
      },
    });
    expect(spans.find(({ name, attributes }) => name === 'chat' && attributes['gen_ai.agent.name'] === 'critic')).toMatchObject({
      kind: 3,
      attributes: {
        ...common,
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'mock',
        'gen_ai.response.model': 'scripted',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.response.finish_reasons': ['stop'],
      },
    });
    const root = find('invoke_workflow system');
    const ends = journal.at(-1);
    const started = journal.find(({ type }) => type === 'run.started');
    expect(root).toMatchObject({
      startMs: started?.at,
      endMs: ends?.at,
      attributes: { 'svc.task.phase': 'Succeeded', 'svc.task.tool_calls': 1, 'svc.task.tokens': 60, 'gen_ai.workflow.name': 'system' },
      resource: {
        'service.name': 'orders',
        'service.version': '1.2.3',
        'service.instance.id': 'here',
        'deployment.environment.name': 'test',
      },
    });
  });

  test('shows each try of a message, and a failure by its code alone', async () => {
    const telling = await start();
    const parts: SnapshotParts = {
      agents: [agentSnapshot('writer')],
      task: { messageRetry: { maxAttempts: 2, backoffMs: 1, maxBackoffMs: 1, jitter: 'none', nonRetryable: [], inherited: false } },
    };
    const journal = journalOf({ model: () => new SimulatedFailure('timeout', true) }, parts).map((entry) =>
      entry.type === 'model.failed' ? { ...entry, data: { ...entry.data, message: 'FAILURE-TEXT' } } : entry,
    ) as Entry[];
    observeRun(telling.observer, journal, { writeMax: 2 });
    await telling.stop();
    const spans = telling.collector.spans();
    const tries = spans.filter(({ name }) => name === 'invoke_agent writer');
    expect(tries.map(({ attributes }) => attributes['svc.message_attempt']).sort()).toEqual([1, 2]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { name, statusCode, attributes } of spans)
      expect({ name, statusCode, error: attributes['error.type'] }).toEqual({ name, statusCode: 2, error: 'timeout' });
    expect(paths(spans).filter((path) => path.includes('MISSING'))).toEqual([]);
    expect(telling.collector.sent()).not.toContain('FAILURE-TEXT');
  });

  test('shows work that a reviewer sends back: in its agent while that waits, as a span of its own once that has ended', async () => {
    const telling = await start();
    const parts = {
      agents: [agentSnapshot('writer')],
      nodes: { writer: { review: reviewPoint('draft') } },
      completionReview: reviewPoint('final'),
    };
    let words = 0;
    const reviewer: World['reviewer'] = () => ({
      decision: [1, 3].includes((words += 1)) ? 'request_changes' : 'approved',
      comment: 'INPUT-TEXT',
    });
    observeRun(telling.observer, journalOf({ model: () => ({ content: 'OUTPUT-TEXT' }), reviewer }, parts), { writeMax: 1 });
    await telling.stop();
    const spans = telling.collector.spans();
    expect(paths(spans)).toEqual([
      'invoke_workflow system',
      'invoke_workflow system > invoke_agent writer',
      'invoke_workflow system > invoke_agent writer',
      ...Array.from({ length: 3 }, () => 'invoke_workflow system > invoke_agent writer > chat'),
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(telling.collector.sent()).not.toContain('INPUT-TEXT');
  });
});

describe('a run that changes its worker', () => {
  test('is the same tree for every entry at which the worker changes', async () => {
    const journal = journalOf(WORLD);
    for (let crash = 1; crash < journal.length; crash += 1) {
      const [first, second] = [await start(), await start()];
      observeRun(first.observer, journal.slice(0, crash), { writeMax: 1 });
      const at = journal[crash]?.at ?? 0;
      const takeover: Entry = { type: 'run.claimed', at, data: { worker: 'worker-2', fence: 2, takeover: true, attempt: 1 } };
      observeRun(second.observer, [takeover, ...journal.slice(crash)], {
        writeMax: 1,
        before: journal.slice(0, crash),
        claim: testClaim({ owner: 'worker-2', fence: 2, takeover: true }),
      });
      await Promise.all([first.stop(), second.stop()]);
      const spans = [...first.collector.spans(), ...second.collector.spans()];
      expect({ crash, paths: paths(spans) }).toEqual({ crash, paths: THREE_AGENTS });
      const writer = spans.find(({ name }) => name === 'invoke_agent writer');
      expect(writer?.startMs).toBe(journal.find(({ type }) => type === 'agent.started')?.at);
    }
  });
});

describe('the collector', () => {
  test('may be unavailable: runs continue, lost spans are counted, and one line reports it without credentials', async () => {
    const refuse: Answer = (response) => void response.writeHead(400).end();
    const telling = await start({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20SECRET' }, refuse);
    observeRun(telling.observer, journalOf(WORLD));
    await telling.stop();
    expect(telling.collector.seen[0]?.headers['authorization']).toBe('Bearer SECRET');
    expect(telling.warned).toHaveLength(1);
    expect(JSON.stringify(telling.warned)).not.toContain('SECRET');
    const text = await telling.metrics.metrics();
    expect(text).toContain(`svc_trace_spans_dropped_total{reason="export_failed"} ${THREE_AGENTS.length}`);
    expect(text).toContain('svc_trace_spans_exported_total 0');
  });

  test('holds up the end of the process for a bounded time only when it does not answer', async () => {
    const telling = await start({}, hang);
    observeRun(telling.observer, journalOf(WORLD));
    const began = performance.now();
    await telling.stop();
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  test('gets at most as many spans as may wait', async () => {
    const telling = await start({}, hang);
    const journal = journalOf(WORLD);
    for (let n = 0; n < 1_000; n += 1) observeRun(telling.observer, journal);
    const text = await telling.metrics.metrics();
    expect(text).toContain(`svc_trace_spans_dropped_total{reason="queue_full"} ${9 * 1_000 - 8_192}`);
  });

  test('gets nothing when the standard variables turn it off', async () => {
    for (const env of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_SAMPLER: 'always_off' }]) {
      const telling = await start(env);
      observeRun(telling.observer, journalOf(WORLD));
      await telling.stop();
      expect(telling.collector.seen).toEqual([]);
    }
  });
});
