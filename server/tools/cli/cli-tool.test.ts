import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, type Clock } from '../../clock.ts';
import { CallError, type ToolOutcome } from '../../engine/ports.ts';
import { fakeIsolation } from '../../testing/fake-isolation.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { callFailure, toolCall, toolConfig, toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort } from '../create-tool-port.ts';
import type { ToolPortConfig } from '../runtime.ts';

const SECRETS: Record<string, Record<string, string>> = {
  token: { value: 'hunter2-secret' },
  pair: { a: 'first-secret', b: 'second-secret' },
  nul: { value: 'a\0b' },
  pull: { registry: 'r.example', username: 'robot', password: 'pull-secret' },
  nopull: { token: 'x' },
};
const secrets = {
  resolveEntries: async (ref: string) => SECRETS[ref] ?? Promise.reject(new ServiceError('not_found', `Secret ${ref} does not exist`)),
  resolveValue: async (ref: string) =>
    (await secrets.resolveEntries(ref))['value'] ?? Promise.reject(new ServiceError('invalid', 'no one value')),
};

interface Wanted {
  readonly cli: Record<string, unknown>;
  readonly mode?: string;
  readonly input?: Record<string, string | number>;
  readonly timeout?: string;
  readonly config?: Partial<ToolPortConfig>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

const engine = fakeIsolation();

function invoke({
  cli,
  mode = 'none',
  input = {},
  timeout = '20s',
  config,
  signal = new AbortController().signal,
  clock = systemClock,
}: Wanted): Promise<ToolOutcome> {
  const port = createToolPort({ ...toolDeps(), clock, secrets, config: toolConfig(config), isolation: engine.isolation });
  const call = toolCall({ type: 'cli', cli, runtime: { isolation_mode: mode, timeout } }, { input });
  return port.invoke(call, { signal });
}

const sh = (script: string, cli: Record<string, unknown> = {}) => ({ command: '/bin/sh', args: ['-c', script], ...cli });

describe('without isolation, as a process of the worker', () => {
  let directory: string;
  beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-'))));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('no shell is between the input and the command', async () => {
    const { output, isolation } = await invoke({
      cli: { command: 'printf', args: ['<%s>', '{{ .q }}', '$HOME', '*'] },
      input: { q: '$(id); `id` "x' },
    });
    expect(output).toBe('<$(id); `id` "x><$HOME><*>');
    expect(isolation).toEqual({ mode: 'none', backend: 'process', user: `${process.getuid?.()}:${process.getgid?.()}`, exit_code: 0 });
  });

  test('the environment is env and env_from and nothing else', async () => {
    const cli = { command: '/usr/bin/env', env: { A: 'b c' }, env_from: [{ name: 'N', secretRef: 'pair', key: 'a' }] };
    expect((await invoke({ cli })).output).toBe('A=b c\nN=***\n');
    expect((await invoke({ cli: { command: '/usr/bin/env' } })).output).toBe('');
  });

  test('a Secret reaches the command, and neither output nor errors nor the process list show it', async () => {
    const cli = sh('test "$T" = hunter2-secret && tr "\\0" " " </proc/$$/cmdline && echo "$T" && echo "$T" | base64', {
      env_from: [{ name: 'T', secretRef: 'token' }],
      env: { PATH: '/usr/bin:/bin' },
    });
    const { output } = await invoke({ cli });
    expect(output).toContain('***');
    expect(output).not.toContain('hunter2-secret\n');
    const failing = await callFailure(invoke({ cli: sh('echo "bad $T" >&2; exit 3', { env_from: [{ name: 'T', secretRef: 'token' }] }) }));
    expect(failing.message).toBe('Tool "team/search" ended with exit code 3: bad ***');
  });

  test.each([
    ['missing', 'value', 'does not exist'],
    ['pair', 'c', 'has no key "c"; it has a, b'],
    ['nul', 'value', 'NUL'],
  ])('a Secret that cannot be had ends the call: %s %s', async (secretRef, key, message) => {
    const failure = await callFailure(invoke({ cli: { command: 'true', env_from: [{ name: 'T', secretRef, key }] } }));
    expect(failure).toMatchObject({ code: 'secret_resolution_failed', retryable: false });
    expect(failure.message).toContain(message);
  });

  test('the input is given as JSON where it is requested, and standard input is empty where it is not', async () => {
    expect((await invoke({ cli: { command: 'cat', stdin_from_input: true }, input: { q: 'é', n: 1 } })).output).toBe('{"q":"é","n":1}');
    expect((await invoke({ cli: { command: 'cat' } })).output).toBe('');
  });

  test.each([
    ['stdout', 'out\n'],
    ['stderr', 'err\n'],
    ['both', 'out\nerr\n'],
  ])('output %s', async (output, text) => {
    expect((await invoke({ cli: sh('echo out; echo err >&2', { output }) })).output).toBe(text);
  });

  test('a working directory of the worker', async () => {
    expect((await invoke({ cli: { command: 'pwd', working_dir: directory } })).output).toBe(`${directory}\n`);
    expect((await invoke({ cli: { command: 'pwd' } })).output).toBe('/\n');
    expect(await callFailure(invoke({ cli: { command: 'pwd', working_dir: '/no/such' } }))).toMatchObject({
      code: 'runtime_policy_invalid',
      reason: 'working_dir',
    });
  });

  test.each([
    ['no-such-program', 'execution_failed', 'command_not_found'],
    ['/no/such/program', 'execution_failed', 'command_not_found'],
    ['/etc/passwd/x', 'execution_failed', 'command_not_found'],
    [`/${'x'.repeat(300)}`, 'execution_failed', 'start_failed'],
    ['/etc/passwd', 'execution_failed', 'command_not_executable'],
    ['./here', 'runtime_policy_invalid', 'command_relative'],
    ['', 'runtime_policy_invalid', 'invalid_tool'],
  ])('a command that cannot start: %j', async (command, code, reason) => {
    expect(await callFailure(invoke({ cli: { command } }))).toMatchObject({ code, reason, retryable: false });
  });

  test('a variable that is longer than the system permits', async () => {
    const failure = await callFailure(invoke({ cli: sh('true', { env: { LONG: 'x'.repeat(200_000) } }) }));
    expect(failure).toMatchObject({ code: 'execution_failed', reason: 'argv_too_long', retryable: false });
  });

  test('an end by signal', async () => {
    const failure = await callFailure(invoke({ cli: sh('kill -SEGV $$') }));
    expect(failure).toMatchObject({ code: 'execution_failed', reason: 'signal_sigsegv', isolation: { exit_code: 139, signal: 'SIGSEGV' } });
  });

  const alive = (file: string) => {
    try {
      const pid = Number(readFileSync(join(directory, file), 'utf8'));
      // Not yet written: 0 would stand for this process.
      return pid > 0 && process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('the time limit ends the whole group, also those that do not listen and those that left it', async () => {
    const script = [
      `(trap "" TERM; echo $$ >group; exec sleep 60) &`,
      `setsid sh -c 'echo $$ >left; exec sleep 60' &`,
      `trap "" TERM; sh -c 'echo $PPID >leader'; while :; do sleep 1; done`,
    ].join('\n');
    const cli = sh(script, { working_dir: directory, env: { PATH: '/usr/bin:/bin' } });
    const clock = createManualClock();
    const call = callFailure(invoke({ cli, timeout: '700ms', clock }));
    // Started, and out of reach of SIGTERM, before the time is over.
    for (const file of ['group', 'left', 'leader']) await expect.poll(() => alive(file), { message: file }).toBe(true);
    const began = Date.now();
    const time = setInterval(() => clock.advance(100), 10);
    onTestFinished(() => clearInterval(time));
    expect(await call).toMatchObject({
      code: 'timeout',
      retryable: true,
      isolation: { signal: 'SIGKILL' },
    });
    expect(Date.now() - began).toBeLessThan(8_000);
    for (const file of ['group', 'left', 'leader']) await expect.poll(() => alive(file), { message: file }).toBe(false);
  });

  test('a command that handles SIGTERM can end before it is killed', async () => {
    const clock = createManualClock();
    const cli = sh('trap "echo bye >bye; exit 0" TERM; echo $$ >trapped; while :; do sleep 0.05; done', {
      working_dir: directory,
      env: { PATH: '/usr/bin:/bin' },
    });
    const call = callFailure(invoke({ cli, timeout: '400ms', clock }));
    await expect.poll(() => alive('trapped')).toBe(true);
    clock.advance(400);
    expect(await call).toMatchObject({ code: 'timeout', isolation: { exit_code: 0 } });
    expect(readFileSync(join(directory, 'bye'), 'utf8')).toBe('bye\n');
  });

  test('a cancelled call ends its command', async () => {
    const abort = new AbortController();
    const failure = callFailure(invoke({ cli: sh('sleep 60'), signal: abort.signal }));
    setTimeout(() => abort.abort(new CallError('canceled', 'canceled', { retryable: false })), 50);
    expect(await failure).toMatchObject({ code: 'canceled' });
  });

  test('children in the background end with their command, and do not hold it up', async () => {
    const cli = sh('sleep 60 & echo $! >background; echo done', { working_dir: directory, env: { PATH: '/usr/bin:/bin' } });
    const began = Date.now();
    expect((await invoke({ cli })).output).toBe('done\n');
    expect(Date.now() - began).toBeLessThan(5_000);
    await expect.poll(() => alive('background')).toBe(false);
  });

  test('a flood is ended, long output is an error, binary output too', async () => {
    const env = { PATH: '/usr/bin:/bin' };
    expect(await callFailure(invoke({ cli: { command: 'yes' } }))).toMatchObject({ code: 'execution_failed', reason: 'output_flood' });
    const long = sh('head -c 2000000 /dev/zero | tr "\\0" x', { env });
    expect(await callFailure(invoke({ cli: long }))).toMatchObject({ code: 'execution_failed', reason: 'response_too_large' });
    expect(await callFailure(invoke({ cli: sh('printf "a\\000b"') }))).toMatchObject({ code: 'execution_failed', reason: 'not_text' });
  });

  test('an input that nobody reads is not a failure', async () => {
    expect((await invoke({ cli: { command: 'true', stdin_from_input: true }, input: { q: 'x'.repeat(500_000) } })).output).toBe('');
  });

  test('an operator may refuse commands without isolation', async () => {
    const failure = await callFailure(invoke({ cli: { command: 'true' }, config: { unisolatedCli: 'never' } }));
    expect(failure).toMatchObject({ code: 'runtime_policy_invalid', reason: 'unisolated_cli', retryable: false });
  });
});

describe('the input decides before anything runs', () => {
  test.each([
    ['a missing field', { command: 'true', args: ['{{ .gone }}'] }, {}, 'template_input'],
    ['a long command line', { command: 'true', args: ['{{ .q }}', '{{ .q }}'] }, { q: 'x'.repeat(3_000) }, 'argv_too_long'],
  ])('%s', async (_what, cli, input, reason) => {
    for (const mode of ['none', 'sandboxed']) {
      expect(await callFailure(invoke({ cli: { ...cli, image: 'i:1' }, input, mode }))).toMatchObject({ code: 'invalid_input', reason });
    }
    expect(engine.prepared).toEqual([]);
  });
});

describe('in an image', () => {
  test.each([
    ['127.0.0.1:5000/meta/data:v1', 'image_not_allowed'],
    ['LOCALHOST:5000/x', 'image_not_allowed'],
    ['0x7f.1:5000/x', 'image_not_allowed'],
    ['http://r.example/x', 'image_invalid'],
  ])('the image %s above the ceiling never reaches the engine', async (image, reason) => {
    for (const mode of ['container', 'sandboxed']) {
      const failure = await callFailure(invoke({ cli: { command: 'x', image, image_pull_secret: 'pull' }, mode }));
      expect(failure).toMatchObject({ code: 'runtime_policy_invalid', reason, retryable: false });
    }
    expect([engine.prepared, engine.runs]).toEqual([[], []]);
  });

  test('the engine gets the login of the image’s own registry alone', async () => {
    await invoke({ cli: { command: 'x', image: 'other.example/x', image_pull_secret: 'pull' }, mode: 'container' });
    expect(engine.prepared.splice(0)).toMatchObject([{ registryLogins: {} }]);
    expect(engine.runs.splice(0)).toMatchObject([{ registryLogins: {} }]);
  });

  test('the engine receives exactly what the tool declares', async () => {
    engine.next = { stdout: 'answer' };
    const cli = {
      command: 'grep',
      args: ['{{ .q }}'],
      image: 'r.example/i:1',
      image_pull_secret: 'pull',
      network: 'tools',
      stdin_from_input: true,
      working_dir: '/w',
      env: { A: 'b' },
      env_from: [{ name: 'T', secretRef: 'token' }],
    };
    const { output, isolation } = await invoke({ cli, mode: 'container', input: { q: '-e' } });
    expect({ output, isolation }).toEqual({ output: 'answer', isolation: { mode: 'container', backend: 'docker', exit_code: 0 } });
    const registryLogins = { 'r.example': { username: 'robot', password: 'pull-secret' } };
    expect(engine.prepared.splice(0)).toMatchObject([{ mode: 'container', image: 'r.example/i:1', registryLogins }]);
    expect(engine.runs.splice(0)).toEqual([
      {
        mode: 'container',
        image: 'r.example/i:1',
        registryLogins,
        command: ['grep', '-e'],
        env: { A: 'b', T: 'hunter2-secret' },
        envBase: 'exact',
        stdin: '{"q":"-e"}',
        workingDir: '/w',
        network: 'tools',
        deadline: expect.any(Number),
        signal: expect.any(AbortSignal),
        outputMaxBytes: 1_048_576,
        floodMaxBytes: 16_777_216,
        what: 'Tool "team/search"',
        owner: { requestId: 'req-1', taskId: 'team/t', tool: 'team/search' },
      },
    ]);
  });

  test('the default mode of a command is container', async () => {
    const port = createToolPort({ ...toolDeps(), secrets, isolation: engine.isolation });
    await port.invoke(toolCall({ type: 'cli', cli: { command: 'x', image: 'i:1' } }), { signal: new AbortController().signal });
    expect(engine.runs.splice(0)).toMatchObject([{ mode: 'container' }]);
  });

  test.each([
    ['no image', { command: 'x' }, 'sandboxed', 'runtime_policy_invalid', 'spec.cli.image'],
    [
      'mode wasm',
      { command: 'x', image: 'i:1' },
      'wasm',
      'runtime_policy_invalid',
      'isolation_mode "wasm", which tools of type cli do not support; use container',
    ],
    ['a mode without an engine', { command: 'x', image: 'i:1' }, 'kubernetes', 'isolation_unavailable', '--enable-kubernetes-isolation'],
    [
      'a pull Secret of another form',
      { command: 'x', image: 'i:1', image_pull_secret: 'nopull' },
      'container',
      'secret_resolution_failed',
      'it has token',
    ],
    ['an invalid template', { command: 'x', image: 'i:1', args: ['{{'] }, 'container', 'runtime_policy_invalid', 'spec.cli.args[0]'],
    ['an invalid variable', { command: 'x', image: 'i:1', env: { 'A-B': '' } }, 'container', 'runtime_policy_invalid', '"A-B"'],
  ])('refused: %s', async (_what, cli, mode, code, message) => {
    const failure = await callFailure(invoke({ cli, mode }));
    expect(failure).toMatchObject({ code, retryable: false });
    expect(failure.message).toContain(message);
    expect(engine.runs).toEqual([]);
  });
});
