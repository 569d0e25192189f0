// The run that an agent page or a designer repeats.
import { expect, test, vi } from 'vitest';
import { asRun } from './run.ts';
import { newestRunOf } from './newest-run.ts';

const run = (name: string, status: object = { phase: 'Succeeded' }, spec: object = {}) =>
  asRun({
    ...{ apiVersion: 'svc.dev/v1', kind: 'Task' },
    metadata: {
      ...{ name, namespace: 'ops', uid: name, generation: 1, resourceVersion: '1', labels: {}, annotations: {} },
      ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    },
    spec: { system: 'desk', input: {}, ...spec },
    status,
  } as never);

const RUNS = [
  run('active', { phase: 'Running' }),
  run('case', { phase: 'Pending' }, { mode: 'template' }),
  run('tried', { phase: 'Succeeded', trial: 'true' }),
  run('newest', { phase: 'Failed' }),
  run('older'),
];
const system = { kind: 'AgentSystem', namespace: 'ops', name: 'desk' };
const agent = { kind: 'Agent', namespace: 'ops', name: 'billing' };
const turnsOf = (turns: Readonly<Record<string, readonly string[]>>) =>
  vi.fn((of: { readonly metadata: { readonly name: string } }) =>
    Promise.resolve({ per_agent: (turns[of.metadata.name] ?? []).map((name) => ({ agent: name })) as never }),
  );

test('a system repeats its newest ended run that is not a trial', async () => {
  const metrics = turnsOf({});
  expect((await newestRunOf(system, RUNS, metrics))?.metadata.name).toBe('newest');
  expect(metrics).not.toHaveBeenCalled();
});

test('an agent repeats the newest run in which it had a turn, by its name or by namespace and name', async () => {
  expect((await newestRunOf(agent, RUNS, turnsOf({ newest: ['intake'], older: ['intake', 'billing'] })))?.metadata.name).toBe('older');
  expect((await newestRunOf(agent, RUNS, turnsOf({ newest: ['ops/billing'] })))?.metadata.name).toBe('newest');
  expect(await newestRunOf(agent, RUNS, turnsOf({ newest: ['lib/billing'], older: ['intake'] }))).toBeUndefined();
});

test('an agent that no run used looks through ten runs only', async () => {
  const metrics = turnsOf({});
  const many = Array.from({ length: 40 }, (_, index) => run(`r${index}`));
  expect(await newestRunOf(agent, many, metrics)).toBeUndefined();
  expect(metrics).toHaveBeenCalledTimes(10);
});
