// The supervisor over the real server as a forked process: crashes with a run going, refusals, silence, taken ports, the end of the parent.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { request } from 'undici';
import type { FromServer } from '@svc/shared/control';
import type { BackendState } from '@svc/shared/desktop-api';
import { kindByName } from '@svc/shared/kinds';
import { hang, json, startLoopbackServer } from '../../server/testing/loopback-server.ts';
import { startServerProcess } from '../../server/testing/server-process.ts';
import { bootstrapOf, newLaunchSecret } from '../../server/testing/supervised-server.ts';
import { createForkHost } from './hosts/fork.ts';
import { findServer } from './find-server.ts';
import { Supervisor, type ServerHost } from './supervisor.ts';

const root = join(import.meta.dirname, '..', '..');
const entry = join(root, 'server', 'dist', 'bin', 'svcd.js');
const env = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' };
/** Factor by which the supervisor's waits are shortened in tests that span a minute. */
const FASTER = 100;

interface Setup {
  readonly supervisor: Supervisor;
  readonly states: BackendState[];
  pid(): number;
  until(test: (state: BackendState) => boolean): Promise<BackendState>;
  cookie(): Promise<string>;
}

let dataDir: string;
let open: Supervisor[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-supervisor-'));
  open = [];
});
afterEach(async () => {
  for (const supervisor of open) await supervisor.stop(2_000);
  rmSync(dataDir, { recursive: true, force: true });
});

function setup(options: { readonly host?: ServerHost; readonly faster?: number; readonly port?: number } = {}): Setup {
  const { host = createForkHost({ entry, env }), faster = 1, port = 0 } = options;
  const states: BackendState[] = [];
  const messages: FromServer[] = [];
  const launchSecret = newLaunchSecret();
  let pid = 0;
  let preferredPort = port;
  const version = (JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8')) as { version: string }).version;
  const supervisor = new Supervisor({
    host: {
      start(events) {
        const child = host.start(events);
        pid = child.pid ?? 0;
        return child;
      },
    },
    timers: {
      now: () => Date.now(),
      after(ms, action) {
        const timer = setTimeout(action, ms / faster);
        return () => clearTimeout(timer);
      },
    },
    version,
    bootstrap: () => bootstrapOf(dataDir, { launchSecret, preferredPort }),
    onState(state) {
      states.push(state);
      if (state.origin) preferredPort = Number(new URL(state.origin).port);
    },
    onMessage: (message) => messages.push(message),
    onLine: () => undefined,
    findOther: () => findServer(dataDir),
  });
  open.push(supervisor);
  return {
    supervisor,
    states,
    pid: () => pid,
    async until(test) {
      await expect.poll(() => test(supervisor.state), { timeout: 30_000 }).toBe(true);
      return supervisor.state;
    },
    async cookie() {
      const nonce = randomBytes(16).toString('base64url');
      supervisor.send({ type: 'mint-ui-session', nonce });
      const found = () => messages.find((message) => message.type === 'ui-session' && message.nonce === nonce);
      await expect.poll(found).toBeDefined();
      const { cookie } = found() as Extract<FromServer, { type: 'ui-session' }>;
      return `${cookie.name}=${cookie.value}`;
    },
  };
}

const isReady = ({ phase }: BackendState) => phase === 'ready';
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a killed server is back at the same address with the same sign-in, no write lost, and the run going on', async () => {
  const completion = {
    object: 'chat.completion',
    model: 'fake',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'the end' } }],
  };
  const model = await startLoopbackServer(hang, json(completion));
  const { supervisor, until, cookie, pid, states } = setup();
  supervisor.start();
  const { origin } = await until(isReady);
  const headers = { cookie: await cookie(), origin: origin ?? '' };
  const send = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await request(new URL(path, origin ?? ''), {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as { status?: { phase?: string; output?: object } } };
  };
  const put = async (kind: string, name: string, spec: object) =>
    expect((await send('POST', `/v1/${kindByName(kind)?.plural}`, { metadata: { name }, spec })).status).toBe(201);
  await put('Secret', 'key', { stringData: { value: 'k' } });
  await put('ModelEndpoint', 'fake', {
    provider: 'openai',
    base_url: `${model.url}/v1`,
    default_model: 'm',
    allowPrivate: true,
    auth: { secretRef: 'key' },
  });
  await put('Agent', 'writer', { model_ref: 'fake' });
  await put('AgentSystem', 'writers', { agents: ['writer'] });
  const called = model.nextRequest();
  await put('Task', 'report', { system: 'writers' });
  await called;

  const killed = performance.now();
  process.kill(pid(), 'SIGKILL');
  await until(({ phase }) => phase === 'backoff');
  const again = await until(isReady);
  console.log(`server back after ${(performance.now() - killed).toFixed(0)} ms`);
  expect(again.origin).toBe(origin);
  expect(states.map(({ phase }) => phase)).toEqual(['starting', 'ready', 'backoff', 'starting', 'ready']);
  await expect.poll(async () => (await send('GET', '/v1/tasks/report')).body.status?.phase, { timeout: 30_000 }).toBe('Succeeded');
  expect(await supervisor.stop(5_000)).toBe(true);
  await model.close();
});

describe('a refused start', () => {
  test('offers a headless server that owns the directory, and leaves it running', async () => {
    const other = await startServerProcess({ dataDir });
    const { supervisor, until } = setup();
    supervisor.start();
    expect(await until(({ attachable }) => attachable !== null)).toMatchObject({
      phase: 'failed',
      problem: { code: 'LOCKED' },
      attachable: other.url,
    });
    expect(isAlive(other.pid)).toBe(true);
    await other.end();
  });

  test('fails with advice for damaged data, and is not retried', async () => {
    writeFileSync(join(dataDir, 'svc.db'), 'no database '.repeat(500));
    const { supervisor, until, states } = setup();
    supervisor.start();
    const state = await until(({ phase }) => phase === 'failed');
    expect(state.problem).toMatchObject({ code: 'DAMAGED', hint: expect.stringContaining('Restore') as string });
    expect(state.log.join('\n')).toContain('damaged');
    expect(states.filter(({ phase }) => phase === 'starting')).toHaveLength(1);
  });
});

test('a server that hangs before it is ready is killed, and not restarted after three starts', async () => {
  const script = join(dataDir, 'hang.mjs');
  writeFileSync(script, 'setInterval(() => undefined, 1000); process.on("message", () => undefined);');
  const { supervisor, until, pid } = setup({ host: createForkHost({ entry: script, env }), faster: FASTER });
  supervisor.start();
  const first = pid();
  await until(({ phase }) => phase === 'failed');
  expect(supervisor.state.problem?.code).toBe('SILENT');
  expect(isAlive(first)).toBe(false);
});

test('a program that is not a server fails after its restarts, with its output in the error', async () => {
  const script = join(dataDir, 'crash.mjs');
  writeFileSync(script, 'console.error("Cannot find module left-pad"); process.exit(1);');
  const { supervisor, until } = setup({ host: createForkHost({ entry: script, env }), faster: FASTER });
  supervisor.start();
  const state = await until(({ phase }) => phase === 'failed');
  expect(state).toMatchObject({ problem: { code: 'CRASHED' }, log: ['Cannot find module left-pad'] });
});

test('a port that another program has taken is left for a free one', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as { port: number };
  const { supervisor, until } = setup({ port });
  supervisor.start();
  expect((await until(isReady)).origin).not.toContain(`:${port}`);
  blocker.close();
});

test('a server whose parent was killed stops by itself', async () => {
  const script = join(dataDir, 'parent.mjs');
  const bootstrap = JSON.stringify(bootstrapOf(dataDir));
  writeFileSync(
    script,
    `import { fork } from 'node:child_process';
     const child = fork(${JSON.stringify(entry)}, ['--supervised'], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
     child.on('message', (message) => message.type === 'ready' && process.send({ pid: child.pid }));
     child.send(${bootstrap});`,
  );
  const parent = fork(script, [], { execArgv: [], env });
  const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }];
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  const killed = performance.now();
  while (isAlive(pid) && performance.now() - killed < 10_000) await sleep(50);
  expect(isAlive(pid)).toBe(false);
  // A stop removes it; an exit without a stop leaves it, with runs that were not released.
  expect(existsSync(join(dataDir, 'runtime.json'))).toBe(false);
});
