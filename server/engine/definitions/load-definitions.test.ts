// Definitions that a run freezes, where names of several namespaces meet.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { loadDefinitions } from './load-definitions.ts';

let store: Store | undefined;
afterEach(() => store?.close());

type Objects = readonly (readonly [kind: string, ref: string, spec: Record<string, unknown>])[];

async function loaded(objects: Objects) {
  const opened = (store = await openSqliteStore({ path: ':memory:', clock: systemClock }));
  const at = new Date(0).toISOString();
  const base = { resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at, status: {} };
  await opened.transaction(async (tx) => {
    for (const [kind, ref, spec] of objects) {
      const [namespace = '', name = ''] = ref.split('/');
      await tx.insertObject({ ...base, kind, namespace, name, uid: randomUUID(), spec });
    }
  });
  const task = await opened.getObject({ kind: 'Task', namespace: 'home', name: 'task' });
  if (!task) throw new Error('no task');
  return loadDefinitions(opened, task);
}

async function frozen(objects: Objects) {
  const definitions = await loaded(objects);
  if (definitions.kind !== 'ready') throw new Error(JSON.stringify(definitions));
  return definitions.snapshot;
}

test('one name in two namespaces is two objects: each agent has its own tools and model', async () => {
  const tools = ['pay', 'home/look'];
  const {
    agents,
    tools: known,
    models,
  } = await frozen([
    ['Task', 'home/task', { system: 'system' }],
    ['AgentSystem', 'home/system', { agents: ['near', 'away/far'], graph: {} }],
    ['Agent', 'home/near', { model_ref: 'fast', tools }],
    ['Agent', 'away/far', { model_ref: 'fast', tools, execution: { profile: 'contract', tool_sequence: ['pay'] } }],
    ...['home/fast', 'away/fast'].map((ref) => ['ModelEndpoint', ref, { provider: 'mock', default_model: ref }] as const),
    ...['home/pay', 'away/pay', 'home/look'].map((ref) => ['Tool', ref, { type: 'http' }] as const),
  ]);
  const toolsOf = (agent: string) => agents[agent]?.tools.map((ref) => `${known[ref]?.namespace}/${known[ref]?.name}`);
  expect(toolsOf('near')).toEqual(['home/pay', 'home/look']);
  expect(toolsOf('away/far')).toEqual(['away/pay', 'home/look']);
  expect(agents['near']?.tools).toEqual(tools);
  expect(agents['away/far']?.toolSequence).toEqual(['away/pay']);
  expect(['near', 'away/far'].map((agent) => models[agents[agent]?.model ?? '']?.spec.default_model)).toEqual(['home/fast', 'away/fast']);
});

test('a definition of an older version is frozen with the defaults of this one', async () => {
  const { tools } = await frozen([
    ['Task', 'home/task', { system: 'system' }],
    ['AgentSystem', 'home/system', { agents: ['solo'] }],
    ['Agent', 'home/solo', { model_ref: 'fast', tools: ['sum'] }],
    ['ModelEndpoint', 'home/fast', { provider: 'mock' }],
    ['Tool', 'home/sum', { type: 'wasm', endpoint: 'file:///sum.wasm', risk_level: 'high', of_a_later_version: true }],
  ]);
  const { runtime, operation_classes } = tools['sum']?.spec ?? {};
  expect([runtime?.isolation_mode, runtime?.on_unknown_outcome, operation_classes]).toEqual(['sandboxed', 'ask', ['write']]);
});

test('a damaged definition makes the run invalid, by the path of each damaged field', async () => {
  const definitions = await loaded([
    ['Task', 'home/task', { system: 'system' }],
    ['AgentSystem', 'home/system', { agents: ['solo'] }],
    ['Agent', 'home/solo', { model_ref: 'fast', tools: ['pay'] }],
    ['ModelEndpoint', 'home/fast', { provider: 'mock' }],
    ['Tool', 'home/pay', { type: 'http', input_schema: 'text' }],
  ]);
  expect(definitions).toEqual({ kind: 'invalid', problems: ['Tool home/pay spec.input_schema must be an object, not a string'] });
});
