// Isolation by Kubernetes as users see it, against an API server of the tests' own.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../../server/testing/kubernetes-api.ts';
import { IMAGES } from '../../server/testing/kubernetes-node.ts';
import { startRunWorld, type RunWorld } from '../../server/testing/run-world.ts';

let api: KubernetesApi;
let world: RunWorld;
beforeAll(async () => {
  api = await startKubernetesApi();
  const flags = ['--enable-kubernetes-isolation', '--kubernetes-api-url', api.url, '--kubernetes-namespace', 'tools'];
  world = await startRunWorld([...flags, '--tool-isolation-backend', 'none']);
});
afterAll(async () => {
  await world?.close();
  await api?.close();
});

async function toolThat(name: string, script: string): Promise<void> {
  const cli = { command: '/bin/sh', args: ['-c', script], image: IMAGES.runs, stdin_from_input: true };
  await world.put('Tool', name, { type: 'cli', cli, runtime: { isolation_mode: 'kubernetes' } });
  await world.model(`m-${name}`, [[name, { word: 'hello' }, 'c1']], 'done');
  await world.system(`s-${name}`, { [`a-${name}`]: { model_ref: `m-${name}`, tools: [name] } });
}

test('a call runs as a Job, the trace records its facts, and nothing of it remains', async () => {
  await toolThat('echo', 'cat');
  const task = await world.run('echo-1', { system: 's-echo' });
  expect(task.status).toMatchObject({ phase: 'Succeeded' });
  expect(task.status.trace.find((entry) => entry['type'] === 'tool_call')).toMatchObject({
    output: '{"word":"hello"}',
    isolation: { mode: 'kubernetes', backend: 'kubernetes', node: 'node-1', user: '65532:65532', capabilities: [], streams: 'separate' },
  });
  expect(['jobs', 'pods', 'secrets'].flatMap((resource) => api.store.list(resource))).toEqual([]);
});

test('capabilities report whether the cluster answers and permits Jobs', async () => {
  const kubernetes = async () => {
    const { body } = await world.request('GET', '/v1/capabilities');
    return (body as any).capabilities.find(({ id }: { id: string }) => id === 'isolation-kubernetes');
  };
  expect(await kubernetes()).toMatchObject({ enabled: true });
  api.behaviour.forbidden = ['create secrets'];
  await expect.poll(kubernetes).toMatchObject({ enabled: false });
  expect(JSON.stringify(await kubernetes())).toContain('create secrets');
  api.behaviour.forbidden = [];
});
