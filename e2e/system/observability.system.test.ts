// Observability of runs from outside only: a real svcd, a real collector, a kill -9 in between.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hang, json } from '../../server/testing/loopback-server.ts';
import { startOtlpCollector, type CollectedSpan, type OtlpCollector } from '../../server/testing/otlp-collector.ts';
import { SECRET, startRunWorld, type RunWorld } from '../../server/testing/run-world.ts';

let collector: OtlpCollector;
let world: RunWorld;
beforeAll(async () => {
  collector = await startOtlpCollector();
  world = await startRunWorld(['--allow-private-tool-endpoints', '--otlp-endpoint', collector.url]);
});
afterAll(async () => {
  await world.close();
  await collector.close();
});

const named = (name: string) => collector.spans().filter((span) => span.name === name);

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

const metricsPage = async () => (await fetch(`${world.url()}/metrics`)).text();

test('a run that survives a kill -9 is one trace of two processes, without payloads or secrets', async () => {
  await world.tool('search', [hang, json({ found: 'TOOL-OUTPUT' })], { auth: { secretRef: 'key' } });
  await world.model('m-planner', [['search', { q: 'TOOL-INPUT' }, 'c1']], 'OUTPUT-TEXT');
  for (const model of ['m-writer', 'm-checker']) await world.model(model, 'OUTPUT-TEXT');
  await world.system(
    'report',
    {
      planner: { model_ref: 'm-planner', tools: ['search'], prompt: 'PROMPT-TEXT' },
      writer: { model_ref: 'm-writer' },
      checker: { model_ref: 'm-checker' },
    },
    { graph: { planner: { edges: [{ to: 'writer' }] }, writer: { edges: [{ to: 'checker' }] } } },
  );
  await world.put('Task', 'report', { system: 'report', input: { topic: 'INPUT-TEXT' } });
  await world.called('search', 1);
  // Unsent spans of the first process would die with it.
  await expect.poll(() => named('chat m-planner').length).toBe(1);
  await world.restart('SIGKILL');
  const task = await world.ended('report');
  expect(task.status.phase).toBe('Succeeded');
  await expect.poll(() => named('invoke_workflow report').length).toBe(1);
  const traceId = task.metadata.uid.replaceAll('-', '');
  const spans = collector.spans().filter((span) => span.traceId === traceId);
  expect(paths(spans)).toEqual([
    'invoke_workflow report',
    'invoke_workflow report > invoke_agent checker',
    'invoke_workflow report > invoke_agent checker > chat m-checker',
    'invoke_workflow report > invoke_agent planner',
    'invoke_workflow report > invoke_agent planner > chat m-planner',
    'invoke_workflow report > invoke_agent planner > chat m-planner',
    'invoke_workflow report > invoke_agent planner > execute_tool search',
    'invoke_workflow report > invoke_agent writer',
    'invoke_workflow report > invoke_agent writer > chat m-writer',
  ]);
  for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
  const traceIds = task.status.messages.map((message) => message['trace_id']);
  expect(new Set(traceIds)).toEqual(new Set([traceId]));
  for (const text of ['PROMPT-TEXT', 'INPUT-TEXT', 'OUTPUT-TEXT', 'TOOL-INPUT', 'TOOL-OUTPUT', SECRET])
    expect(collector.sent()).not.toContain(text);
  const page = await metricsPage();
  expect(page).toContain('svc_claims_total{takeover="true"} 1');
  expect(page).toContain('svc_tasks_ended_total{phase="Succeeded",reason="none"} 1');
  expect(page).toContain('svc_model_tokens_total{direction="input",provider="gateway-a",model="m-writer"} 10');
  expect(page).toContain('svc_tool_calls_total{tool="search",outcome="ok",code=""} 1');
  expect(page).toMatch(/^svc_trace_spans_exported_total [1-9]/m);
  expect(page).not.toMatch(/PROMPT-TEXT|"planner"|"report"|default\/report/);
});

test('readiness lists the store, its key, its decision records and the worker of the process', async () => {
  expect(await world.request('GET', '/readyz')).toEqual({
    status: 200,
    body: {
      status: 'ok',
      checks: [
        { name: 'store', ok: true },
        { name: 'secrets', ok: true },
        { name: 'decisions', ok: true },
        { name: 'worker', ok: true },
      ],
    },
  });
});

test('a cancelled Task is counted, and its trace shows the place of the cancellation', async () => {
  await world.model('m-slow', hang);
  await world.system('slow', { slow: { model_ref: 'm-slow' } });
  await world.put('Task', 'cancelled', { system: 'slow' });
  await world.called('m-slow', 1);
  await world.request('POST', '/v1/tasks/cancelled/cancel', {});
  expect((await world.ended('cancelled')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
  expect(await metricsPage()).toContain('svc_tasks_ended_total{phase="Failed",reason="cancelled"} 1');
  await expect
    .poll(() => paths(collector.spans()).filter((path) => path.startsWith('invoke_workflow slow')))
    .toEqual(['invoke_workflow slow', 'invoke_workflow slow > invoke_agent slow']);
});
