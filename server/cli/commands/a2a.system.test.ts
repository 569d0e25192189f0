// svcctl a2a as a process of its own: nothing but its waits keeps it alive between two reads of a task.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentV03, type SdkAgent } from '../../testing/a2a/sdk-agents.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/bin/svcctl.js', import.meta.url));
let agent: SdkAgent;
beforeAll(async () => {
  agent = await startAgentV03();
});
afterAll(() => agent.close());

it('waits for a task that works for a while', async () => {
  const argv = [PROGRAM, 'a2a', 'test', agent.url, '--message', 'slow', '-o', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { XDG_CONFIG_HOME: tmpdir() } });
  const { versions } = JSON.parse(stdout);
  expect(versions[1].results.slice(0, 3)).toMatchObject([
    { outcome: 'works' },
    { outcome: 'works', detail: 'task completed' },
    { outcome: 'works' },
  ]);
});
