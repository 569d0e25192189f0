// svcctl chat as a process at a real pseudo-terminal: echo, Ctrl-C for the turn, and the question about an approval.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/bin/svcctl.js', import.meta.url));
/** `script` of util-linux; that of macOS takes other arguments. */
const hasScript = (spawnSync('script', ['--version']).stdout?.toString() ?? '').includes('util-linux');
if (!hasScript) console.warn('skipped: svcctl chat at a pseudo-terminal needs `script` of util-linux');

let server: TestServer;
let cwd: string;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints']);
  cwd = await mkdtemp(join(tmpdir(), 'svcctl-terminal-'));
  const call = { text: 'let me see', tool: 'deploy', input: { to: 'prod' } };
  const steps = [{ cases: [{ when: 'deploy', ...call }, { when: 'slow', hang: true }, { text: 'heard it' }] }, { text: 'after the call' }];
  const options = { script: JSON.stringify(steps) };
  await write('model-endpoints', 'ModelEndpoint', { provider: 'mock', options });
  await write('tools', 'Tool', {
    type: 'http',
    endpoint: 'http://127.0.0.1:9/never',
    risk_level: 'low',
    runtime: { retry: { max_attempts: 1 } },
  });
  await write('tool-permissions', 'ToolPermission', {
    tool_ref: 'deploy',
    operation_rules: [{ operation_class: '*', verdict: 'approval_required' }],
  });
  await write('agents', 'Agent', { model_ref: 'deploy', prompt: 'Speak.', tools: ['deploy'] });
  await write('agent-systems', 'AgentSystem', { agents: ['deploy'] });
});
afterAll(async () => {
  await server.stop();
  await rm(cwd, { recursive: true });
});

async function write(plural: string, kind: string, spec: object): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name: 'deploy' }, spec });
  const response = await fetch(`${server.url}/v1/${plural}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(response.ok).toBe(true);
}

function startChat(name: string) {
  const command = `exec '${process.execPath}' '${PROGRAM}' chat deploy --name ${name}`;
  const env = { ...process.env, SVCCTL_SERVER: server.url, XDG_CONFIG_HOME: cwd, NO_COLOR: '1', TERM: 'xterm' };
  const child = spawn('script', ['-qfec', command, '/dev/null'], { env });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'close') as Promise<[number]>;
  let seen = 0;
  return {
    /** Waits for a text behind what earlier calls waited for. */
    prints: async (text: string) => {
      await expect.poll(() => printed.indexOf(text, seen), { timeout: 20_000 }).toBeGreaterThanOrEqual(0);
      seen = printed.indexOf(text, seen) + text.length;
    },
    type: (text: string) => void child.stdin.write(text),
    done: async () => ({ code: (await ended)[0], printed }),
  };
}

describe.skipIf(!hasScript)('svcctl chat at a pseudo-terminal', () => {
  it('echoes each typed character once and leaves with /quit', async () => {
    const chat = startChat('echo');
    for (const message of ['good morning', 'good evening']) {
      await chat.prints('› ');
      chat.type(`${message}\r`);
      await chat.prints('heard it');
    }
    await chat.prints('› ');
    chat.type('/quit\r');
    const { code, printed } = await chat.done();
    expect(code).toBe(0);
    expect(printed.split('good evening')).toHaveLength(2);
  });

  it('interrupts the turn on Ctrl-C, then leaves on two more', async () => {
    const chat = startChat('interrupt');
    await chat.prints('› ');
    chat.type('slow\r');
    await chat.prints('thinking');
    chat.type('\u0003');
    await chat.prints('the turn was cancelled: interrupted by Ctrl-C');
    await chat.prints('› ');
    chat.type('\u0003');
    await chat.prints('Ctrl-C again');
    await chat.prints('› ');
    chat.type('\u0003');
    expect((await chat.done()).code).toBe(130);
  });

  it('decides an approval by what is typed after the question', async () => {
    const chat = startChat('approval');
    await chat.prints('› ');
    chat.type('deploy\r');
    await chat.prints('later ? ');
    chat.type('deny\r');
    await chat.prints('Reason (Enter for none): ');
    chat.type('not today\r');
    await chat.prints('⏵ denied');
    await chat.prints('the turn failed');
    await chat.prints('› ');
    chat.type('\u0004');
    expect((await chat.done()).code).toBe(0);
  });
});
