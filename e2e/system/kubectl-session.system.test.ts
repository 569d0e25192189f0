// Commands of a kubectl user with svcctl against a server process, from the first apply to the deletion.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blueprintsDirectory } from '../../server/installation.ts';
import { startSvcctl, type CliOptions } from '../../server/testing/run-svcctl.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

let server: ServerProcess;
let cwd: string;
beforeAll(async () => {
  server = await startServerProcess();
  cwd = await mkdtemp(join(tmpdir(), 'svcctl-session-'));
});
afterAll(async () => {
  await server.dispose();
  await rm(cwd, { recursive: true });
});

test('everyday kubectl commands work in svcctl', async () => {
  const start = (argv: readonly string[], options: CliOptions = {}) =>
    startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: server.url } }, options);
  const out = async (...argv: string[]) => (await start(argv).done).out;
  const manifests = join(blueprintsDirectory(), 'single-agent');

  expect((await start(['diff', '-f', manifests]).done).code).toBe(1);
  expect(await out('apply', '-f', manifests)).toContain('agent/assistant created\n');
  const drift = await start(['diff', '-f', manifests]).done;
  expect(drift).toEqual({ code: 0, out: '', err: '' });

  const ended = start(['wait', 'task/second', '--for', 'create', '--timeout', '1m']);
  await out('run', 'single-agent', '--name', 'second', '-q');
  expect((await ended.done).out).toBe('task/second created\n');
  expect(await out('wait', 'tasks', '--all', '--for', 'phase=Succeeded', '--timeout', '1m')).toContain('task/second Succeeded\n');

  expect(await out('get', 'all')).toMatch(/task\/second +Succeeded/);
  expect(await out('get', 'agents,agent-systems', '-o', 'name')).toBe('agent/assistant\nagent-system/single-agent\n');
  expect(await out('get', 'tasks', '-o', 'jsonpath={.items[?(@.metadata.name=="second")].status.phase}')).toBe('Succeeded\n');
  expect(await out('get', 'tasks', '-o', 'custom-columns=END:.status.phase', '--no-headers')).toBe('Succeeded\nSucceeded\n');

  expect(await out('label', 'tasks', '--all', 'batch=7')).toBe('task/second labeled\ntask/single-agent-run labeled\n');
  expect((await out('logs', '-l', 'batch=7', '--tail', '1')).match(/^\[task\/\S+\] /gm)).toEqual([
    '[task/second] ',
    '[task/single-agent-run] ',
  ]);
  expect(await out('annotate', 'agent/assistant', 'owner=Ann Lee')).toBe('agent/assistant annotated\n');
  expect(await out('patch', 'agent/assistant', '-p', '{"spec":{"prompt":"Be brief."}}')).toBe('agent/assistant patched\n');

  await writeFile(join(cwd, 'editor.sh'), `sed -i 's/Be brief/Be kind/' "$1"\n`);
  const edit = start(['edit', 'agent/assistant'], { env: { EDITOR: `sh ${join(cwd, 'editor.sh')}` }, tty: true });
  expect((await edit.done).out).toBe('agent/assistant edited\n');
  expect(await out('get', 'agent/assistant', '-o', 'jsonpath={.spec.prompt}')).toBe('Be kind.\n');
  expect((await start(['diff', '-f', manifests]).done).out).toContain('-  prompt: Be kind.\n');

  expect(await out('events', '--for', 'task/second', '--type', 'task.succeeded')).toMatch(/task\/second +the run succeeded\n$/);
  expect(await out('delete', 'tasks', '-l', 'batch=7', '--yes', '--wait')).toBe('task/second deleted\ntask/single-agent-run deleted\n');
  expect(await out('get', 'tasks', '-o', 'name')).toBe('');
});
