// svcctl chat against a real server: what a person at a terminal sees and types, and what a pipe gets.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSvcctl, type CliOptions, type CliResult, type RunningCli } from '../../testing/run-svcctl.ts';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';
import { startSpeakingModel, type SpeakingModel } from '../../testing/speaking-model.ts';

const TERMINAL: CliOptions = { tty: true, columns: 100, env: { NO_COLOR: '1' } };
const ESCAPE = '\u001b';

let server: TestServer;
let cwd: string;
let model: SpeakingModel;
beforeAll(async () => {
  server = await startTestServer(['--allow-private-tool-endpoints']);
  cwd = await mkdtemp(join(tmpdir(), 'svcctl-chat-'));
  model = await startSpeakingModel();
  const script = (steps: unknown) => ({ provider: 'mock', options: { script: JSON.stringify(steps) } });
  const call = { text: 'let me see', pieces: 5, piece_delay: '40ms', tool: 'deploy', input: { to: 'prod' } };
  await apply(
    ['ModelEndpoint', 'echo', script([{ text: 'heard it', repeat: true }])],
    ['ModelEndpoint', 'hangs', script([{ cases: [{ when: 'quick', text: 'quick answer' }, { hang: true }] }])],
    ['ModelEndpoint', 'fails', script([{ error: { code: 'auth_invalid', message: 'wrong key' } }])],
    ['ModelEndpoint', 'asks', script([call, { text: 'after the call' }])],
    ['ModelEndpoint', 'speaks', model.spec],
    ['Tool', 'deploy', { type: 'http', endpoint: 'http://127.0.0.1:9/never', risk_level: 'low', runtime: { retry: { max_attempts: 1 } } }],
    ['ToolPermission', 'ask', { tool_ref: 'deploy', operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] }],
    ...['echo', 'hangs', 'fails', 'asks', 'speaks'].flatMap((name) => [
      ['Agent', name, { model_ref: name, prompt: 'Speak.', ...(name === 'asks' && { tools: ['deploy'] }) }] as const,
      ['AgentSystem', name, { agents: [name] }] as const,
    ]),
  );
});
afterAll(async () => {
  await server.stop();
  await model.close();
  await rm(cwd, { recursive: true });
});

const start = (argv: readonly string[], options: CliOptions = {}): RunningCli =>
  startSvcctl(argv, { cwd, env: { SVCCTL_SERVER: server.url } }, options);
const svcctl = (argv: readonly string[], options: CliOptions = {}): Promise<CliResult> => start(argv, options).done;

async function apply(...objects: readonly (readonly [kind: string, name: string, spec: object])[]): Promise<void> {
  const manifests = objects.map(([kind, name, spec]) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec }));
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

let count = 0;
const freshName = () => `talk-${(count += 1)}`;
const phaseOf = async (name: string) => (await svcctl(['get', 'session', name, '-o', 'jsonpath={.status.phase}'])).out.trim();

describe('chat in a pipe', () => {
  it('sends standard input as one message and prints the answer alone on stdout', async () => {
    const name = freshName();
    expect(await svcctl(['chat', 'echo', '--name', name], { stdin: 'one\ntwo\n' })).toEqual({
      code: 0,
      out: 'heard it\n',
      err: `session/${name}\n`,
    });
    expect((await svcctl(['sessions', 'turns', name, '-o', 'jsonpath={.items[*].content}'])).out).toBe('one\ntwo\n');
  });

  it('sends each line as a message with --lines', async () => {
    const name = freshName();
    const result = await svcctl(['chat', 'echo', '--name', name, '--lines', '-q'], { stdin: 'one\n\ntwo\n' });
    expect(result).toEqual({ code: 0, out: 'heard it\nheard it\n', err: '' });
    expect((await svcctl(['sessions', 'turns', name, '-o', 'jsonpath={.items[*].content}'])).out).toBe('one two\n');
  });

  it('names a system of any namespace as namespace/name, and resumes Sessions however they name it', async () => {
    const manifests = ['Agent', 'AgentSystem'].map((kind) => {
      const spec = kind === 'Agent' ? { model_ref: 'default/echo', prompt: 'Speak.' } : { agents: ['far'] };
      return JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name: 'far', namespace: 'team' }, spec });
    });
    expect(await svcctl(['apply', '-f', '-'], { stdin: manifests.join('\n---\n') })).toMatchObject({ code: 0 });
    const name = freshName();
    expect(await svcctl(['chat', 'team/far', '--name', name], { stdin: 'hello' })).toMatchObject({ code: 0, out: 'heard it\n' });
    const resumed = { code: 0, out: 'heard it\n', err: `session/${name}\n` };
    expect(await svcctl(['chat', 'team/far', '--resume'], { stdin: 'again' })).toEqual(resumed);
    const here = freshName();
    await apply(['Session', here, { system: 'default/echo' }]);
    for (const word of ['echo', 'default/echo'])
      expect(await svcctl(['chat', word, '--resume'], { stdin: 'again' })).toEqual({ ...resumed, err: `session/${here}\n` });
  });

  it('continues a Session by its name, and the last one of a system with --resume', async () => {
    const name = freshName();
    await svcctl(['chat', 'hangs', '--name', name, '-q'], { stdin: 'quick' });
    expect((await svcctl(['chat', `session/${name}`, '-q'], { stdin: 'quick again' })).out).toBe('quick answer\n');
    expect((await svcctl(['chat', 'hangs', '--resume'], { stdin: 'quick once more' })).err).toBe(`session/${name}\n`);
    expect((await svcctl(['sessions', 'turns', name, '--no-headers'])).out.trim().split('\n')).toHaveLength(3);
  });

  it('exits with 1 when the turn fails, with the reason on stderr', async () => {
    const { code, out, err } = await svcctl(['chat', 'fails', '--lines'], { stdin: 'one\ntwo\n' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.match(/the turn failed/g)).toHaveLength(1);
  });

  it('prints how to decide an approval, then ends with the turn', async () => {
    const running = start(['chat', 'asks'], { stdin: 'go' });
    await running.prints('⏸ waits for approval ');
    await running.prints('svcctl approve ');
    const { out: name } = await svcctl(['approvals', 'list', '-o', 'name']);
    await svcctl(['deny', name.trim(), '--comment', 'no']);
    const { code, out, err } = await running.done;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('⏵ denied');
  });

  it('keeps text that is withdrawn off stdout', async () => {
    const running = start(['chat', 'asks'], { stdin: 'go' });
    await running.prints('⏸ waits for approval ');
    const { out: name } = await svcctl(['approvals', 'list', '-o', 'name']);
    await svcctl(['approve', name.trim()]);
    expect((await running.done).out).not.toContain('let me see');
  });

  it.each([
    ['a target that does not exist', ['chat', 'absent'], 5, 'there is neither a Session nor an AgentSystem'],
    ['a kind that cannot talk', ['chat', 'agent/echo'], 5, 'there is neither'],
    ['a name for --resume', ['chat', 'echo', '--resume', '--name', 'x'], 2, '--name is for a new session'],
    ['an idle ttl that is no duration', ['chat', 'echo', '--idle-ttl', 'soon'], 1, 'idle_ttl'],
    ['--resume without a Session', ['chat', 'speaks', '--resume'], 5, 'no session in namespace default that can be continued'],
    ['an unknown system of another namespace', ['chat', 'elsewhere/none'], 5, 'elsewhere/none'],
  ])('refuses %s', async (_what, argv, code, message) => {
    expect(await svcctl(argv, { stdin: 'hello' })).toMatchObject({ code, out: '', err: expect.stringContaining(message) as string });
  });

  it('refuses an empty message and leaves no Session behind', async () => {
    const name = freshName();
    const { code, err } = await svcctl(['chat', 'echo', '--name', name], { stdin: '\n' });
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('message is empty') });
    expect((await svcctl(['get', 'session', name])).code).toBe(5);
    expect(await svcctl(['chat', 'echo', '--name', name, '--lines'], { stdin: '\n\n' })).toEqual({ code: 0, out: '', err: '' });
    expect((await svcctl(['get', 'session', name])).code).toBe(5);
  });

  it('refuses a name that is taken, with the command that continues that Session', async () => {
    const name = freshName();
    await svcctl(['chat', 'echo', '--name', name], { stdin: 'one' });
    const { code, err } = await svcctl(['chat', 'echo', '--name', name], { stdin: 'one' });
    expect(code).toBe(1);
    expect(err).toContain(`chat session/${name}`);
  });
});

/** A relay before the server whose connections a test can cut. */
async function startRelay() {
  const open = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(Number(new URL(server.url).port), '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far).pipe(near);
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    cut: () => open.forEach((socket) => socket.destroy()),
    close: () => {
      open.forEach((socket) => socket.destroy());
      relay.close();
    },
  };
}

describe('chat over a connection that breaks', () => {
  it('reads on from the last event and shows the answer once', async () => {
    const relay = await startRelay();
    const speaker = await startSpeakingModel();
    await apply(['ModelEndpoint', 'cut', speaker.spec], ['Agent', 'cut', { model_ref: 'cut', prompt: 'Speak.' }]);
    await apply(['AgentSystem', 'cut', { agents: ['cut'] }]);
    const chat = start(['chat', 'cut'], { ...TERMINAL, env: { NO_COLOR: '1', SVCCTL_SERVER: relay.url } });
    await chat.prints('› ');
    chat.type('hello\r');
    await speaker.called();
    speaker.say('Once upon');
    await chat.prints('Once upon');
    relay.cut();
    await chat.prints('reconnecting');
    speaker.say(' a time');
    speaker.finish();
    await chat.prints(' a time');
    await chat.prints('\u001b[0J› \u001b[3G');
    chat.type('\u0004');
    const { code, out } = await chat.done;
    expect(code).toBe(0);
    // The text moves below the remark, and the answer equals what was shown of it.
    expect(out).toMatch(/Once upon\r\S*\[J[^\n]*reconnecting\nOnce upon a time\n/);
    relay.close();
    await speaker.close();
  });
});

describe('chat at a terminal', () => {
  it('shows text as it comes, in visible form, and answers the prompt again', async () => {
    const chat = start(['chat', 'speaks'], TERMINAL);
    await chat.prints('› ');
    chat.type('hello\r');
    await model.called();
    model.say(`Once upon ${ESCAPE}[2J`);
    await chat.prints('Once upon \\u001b[2J');
    model.say(' a time');
    model.finish();
    await chat.prints(' a time\n');
    chat.type('/quit\r');
    const { code, out } = await chat.done;
    expect(code).toBe(0);
    expect(out).not.toContain(`${ESCAPE}[2J`);
    expect(out.split('a time')).toHaveLength(2);
  });

  it('sends lines that end in a backslash, quoted lines and pasted lines as one message', async () => {
    const name = freshName();
    const chat = start(['chat', 'echo', '--name', name], TERMINAL);
    await chat.prints('› ');
    chat.type('one\\\r');
    await chat.prints('… ');
    chat.type('two\r');
    await chat.prints('heard it\n');
    chat.type('"""a\rb"""\r');
    await expect.poll(async () => (await svcctl(['sessions', 'turns', name, '--no-headers'])).out.trim().split('\n')).toHaveLength(2);
    await expect.poll(() => phaseOf(name)).toBe('WaitingInput');
    chat.type('//slash """doc"""\r');
    await expect.poll(async () => (await svcctl(['sessions', 'turns', name, '--no-headers'])).out.trim().split('\n')).toHaveLength(3);
    await expect.poll(() => phaseOf(name)).toBe('WaitingInput');
    chat.type('\u0004');
    expect((await chat.done).code).toBe(0);
    const { out } = await svcctl(['sessions', 'turns', name, '-o', 'json']);
    expect((JSON.parse(out) as { content: string }[]).map(({ content }) => content)).toEqual(['one\ntwo', 'a\nb', '/slash """doc"""']);
  });

  it('takes tentative text off the screen, shows the call and decides it in place', async () => {
    const chat = start(['chat', 'asks'], TERMINAL);
    await chat.prints('› ');
    chat.type('go\r');
    await chat.prints('approve · edit · respond · deny · later ? ');
    chat.type('x\r');
    await chat.prints('Type one of these words');
    chat.type('app\r');
    await chat.prints('Reason (Enter for none): ');
    chat.type('agreed\r');
    await chat.prints('after the call\n');
    chat.type('/quit\r');
    const { code, out, err } = await chat.done;
    expect(code).toBe(0);
    // The last pieces may be withdrawn before they are sent.
    expect(out).toMatch(new RegExp(`let[ a-z]*\\r${ESCAPE}\\[J`));
    expect(out).toMatch(/⚙.* asks: deploy to="prod"/);
    expect(err).toMatch(/Tool: +deploy/);
    expect(out).toMatch(/⏵.* approved by /);
    const records = await svcctl(['decisions', 'list', '-o', 'jsonpath={.items[*].comment}']);
    const comments = await svcctl(['decisions', 'list', '-o', 'json']);
    expect(`${records.out}${comments.out}`).toContain('agreed');
  });

  it('withdraws the question when the approval is decided elsewhere', async () => {
    const name = freshName();
    const chat = start(['chat', 'asks', '--name', name], TERMINAL);
    await chat.prints('› ');
    chat.type('go\r');
    await chat.prints('later ? ');
    const { out: approval } = await svcctl(['approvals', 'list', '-o', 'name']);
    await svcctl(['deny', approval.trim()]);
    await chat.prints('✗');
    await expect.poll(() => phaseOf(name)).toBe('Failed');
    chat.type('/quit\r');
    expect((await chat.done).code).toBe(0);
  });

  it('interrupts the turn on Ctrl-C and leaves on the second one', async () => {
    const name = freshName();
    const chat = start(['chat', 'hangs', '--name', name], TERMINAL);
    await chat.prints('› ');
    chat.type('slow\r');
    await chat.prints('thinking');
    chat.interrupt();
    await chat.prints('the turn was cancelled');
    await expect.poll(() => phaseOf(name)).toBe('WaitingInput');
    chat.type('quick\r');
    await chat.prints('quick answer\n');
    chat.type('\u0003');
    await chat.prints('Ctrl-C again');
    chat.type('\u0003');
    expect((await chat.done).code).toBe(130);
  });

  it('leaves a running turn when Ctrl-C is pressed twice', async () => {
    const name = freshName();
    const chat = start(['chat', 'hangs', '--name', name], TERMINAL);
    await chat.prints('› ');
    chat.type('slow\r');
    await chat.prints('thinking');
    chat.interrupt();
    chat.interrupt();
    const { code, err } = await chat.done;
    expect(code).toBe(130);
    expect(err).toContain(`chat session/${name}`);
  });

  it('shows the last turns of a Session and the approval that its turn waits for', async () => {
    const name = freshName();
    await svcctl(['chat', 'echo', '--name', name], { stdin: 'an old question' });
    const chat = start(['chat', `session/${name}`], TERMINAL);
    await chat.prints('heard it');
    chat.type('/quit\r');
    expect((await chat.done).out).toMatch(/an old question\nheard it\n/);
    const waiting = freshName();
    await svcctl(['apply', '-f', '-'], {
      stdin: JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'Session', metadata: { name: waiting }, spec: { system: 'asks' } }),
    });
    await svcctl(['sessions', 'send', waiting, 'go']);
    await expect.poll(() => phaseOf(waiting)).toBe('WaitingApproval');
    const joined = start(['chat', waiting], TERMINAL);
    await joined.prints('later ? ');
    joined.type('deny\r');
    await joined.prints('Reason (Enter');
    joined.type('\r');
    await joined.prints('✗');
    await expect.poll(() => phaseOf(waiting)).toBe('Failed');
    joined.type('\u0004');
    expect((await joined.done).code).toBe(0);
  });

  it('runs slash commands: turns, checkpoints, rewind, fork, pause, resume', async () => {
    const name = freshName();
    await svcctl(['chat', 'echo', '--name', name, '--lines'], { stdin: 'one\ntwo\n' });
    const chat = start(['chat', `session/${name}`], TERMINAL);
    await chat.prints('› ');
    const command = async (line: string, shown: string) => {
      chat.type(`${line}\r`);
      await chat.prints(shown);
    };
    await command('/help', '/rewind <number>');
    await command('/turns', 'ANSWER');
    await command('/checkpoints', 'SAFE POINT');
    await command('/rewind', 'to which checkpoint?');
    await command('/rewind 1', 'Back at ckpt-00000001');
    await command(`/fork ${name}-b`, `Now in session/${name}-b`);
    await command('/pause', 'Paused: new messages are queued');
    await command('/resume', 'Resumed.');
    await command('/nonsense', 'there is no command /nonsense');
    chat.type('/quit\r');
    expect((await chat.done).code).toBe(0);
    expect((await svcctl(['sessions', 'turns', name, '-o', 'jsonpath={.items[*].phase}'])).out).toBe('Succeeded Cancelled\n');
    expect((await svcctl(['sessions', 'turns', `${name}-b`, '-o', 'jsonpath={.items[*].content}'])).out).toBe('one\n');
  });
});
