// Trials from svcctl against a real server: options of run, breakpoints on the way, continue.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { cwd, start, svcctl } = await startCliServer();

beforeAll(async () => {
  const object = (kind: string, name: string, spec: object) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
  const objects = [
    object('ModelEndpoint', 'echo', { provider: 'mock' }),
    object('Agent', 'planner', { model_ref: 'echo', prompt: 'Plan.' }),
    object('Agent', 'writer', { model_ref: 'echo', prompt: 'Write.' }),
    object('AgentSystem', 'pipeline', { agents: ['planner', 'writer'], graph: { planner: { edges: [{ to: 'writer' }] }, writer: {} } }),
  ];
  const stdin = objects.map((each) => JSON.stringify(each)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
});

const blocked = (name: string) =>
  vi.waitFor(async () => {
    const { out } = await svcctl(['get', 'task', name, '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ status: { blockedOn: { kind: 'Breakpoint' } } });
  }, 20_000);

const trialOf = async (name: string): Promise<unknown> => {
  const { out } = await svcctl(['get', 'task', name, '-o', 'json']);
  return (JSON.parse(out) as { spec: { trial?: unknown } }).spec.trial;
};

it('run reports where it waits and which command continues it, and follows to the end with the edited texts', async () => {
  const running = start(['run', 'pipeline', '--name', 'stops', '--break-before', 'writer', '--break-after', 'writer', '-i', 'topic=tea']);
  await running.prints('continue task/stops --at writer');
  await blocked('stops');
  expect(await svcctl(['continue', 'stops', '--edit-input', 'another question'])).toMatchObject({ code: 0, out: 'task/stops continued\n' });
  await running.prints('waits after writer');
  await blocked('stops');
  await writeFile(join(cwd, 'final.txt'), 'the final word');
  expect((await svcctl(['continue', 'task/stops', '--at', 'writer', '--edit-output', '@final.txt'])).code).toBe(0);
  const { code, out, err } = await running.done;
  expect({ code, out }).toEqual({ code: 0, out: 'the final word\n' });
  expect(err).toMatch(/⏸ breakpoint +waits before writer until .+\n +\S.* continue task\/stops --at writer\n/);
  expect(err).toContain('another question');
});

it('continue reads a text from standard input, and ends a run with a reason', async () => {
  await svcctl(['run', 'pipeline', '--name', 'piped', '-d', '--break-after', 'planner', '--break-after', 'writer']);
  await blocked('piped');
  expect((await svcctl(['continue', 'piped', '--at', 'planner', '--edit-output', '-'], { stdin: 'a better plan' })).code).toBe(0);
  await vi.waitFor(async () => expect((await svcctl(['trace', 'piped'])).out).toContain('waits after writer'), 20_000);
  expect((await svcctl(['trace', 'piped', '-o', 'json'])).out).toContain(String.raw`# From planner\na better plan`);
  expect((await svcctl(['continue', 'piped', '--end', '--reason', 'seen enough'])).out).toBe('task/piped ended\n');
  expect((await svcctl(['wait', 'task/piped', '--for', 'phase=Failed'])).code).toBe(0);
  expect((await svcctl(['describe', 'task/piped'])).out).toContain('seen enough');
});

it('run pins outputs, runs one agent alone, or from one on', async () => {
  const out = 'writer received: # Task input\nThe task has no input.\n\n# From planner\nx=1\n';
  const first = await svcctl(['run', 'pipeline', '--name', 'first', '-q', '--pin', 'planner=x=1', '--trial-wait', '30m']);
  expect(first).toMatchObject({ code: 0, out });
  expect(await trialOf('first')).toEqual({ pins: [{ node: 'planner', output: 'x=1' }], wait: '30m' });
  for (const option of ['--pin-from=planner=first', '--only=writer=task/first', '--from=writer=first'])
    expect({ option, ...(await svcctl(['run', 'pipeline', '-q', option])) }).toMatchObject({ option, code: 0, out });
});

it('run of one agent alone needs no earlier run', async () => {
  const alone = await svcctl(['run', 'pipeline', '--name', 'alone', '-q', '--only', 'writer', '-i', 'topic=tea']);
  expect(alone).toMatchObject({ code: 0, out: 'writer received: topic: tea\n' });
  expect(await trialOf('alone')).toMatchObject({ only: { node: 'writer' } });
});

it('run takes earlier versions, other models and other prompts, and leaves the definitions', async () => {
  const agent = (prompt: string) =>
    JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: 'clerk' }, spec: { model_ref: 'repeat', prompt } });
  const endpoint = { provider: 'mock', options: { script: JSON.stringify([{ text: '{{transcript}}', repeat: true }]) } };
  const model = JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'ModelEndpoint', metadata: { name: 'repeat' }, spec: endpoint });
  const system = (agents: string[]) =>
    JSON.stringify({ apiVersion: 'svc.dev/v1', kind: 'AgentSystem', metadata: { name: 'office' }, spec: { agents } });
  for (const each of [model, agent('Be formal.'), agent('Be kind.'), system(['clerk']), system(['clerk', 'writer'])])
    expect(await svcctl(['apply', '-f', '-'], { stdin: each })).toMatchObject({ code: 0 });
  const first = ['--agent-version', 'clerk=1', '--system-version', '1'];
  expect((await svcctl(['run', 'office', '--name', 'pinned', '-q', '-i', 'q=Hi', ...first])).out).toContain('system: Be formal.');
  expect(await trialOf('pinned')).toEqual({
    versions: [
      { kind: 'Agent', name: 'clerk', generation: 1 },
      { kind: 'AgentSystem', name: 'office', generation: 1 },
    ],
    wait: '1h',
  });
  await writeFile(join(cwd, 'prompt.txt'), 'Be brief.');
  const edited = ['--agent-prompt', 'clerk=@prompt.txt', '--system-version=1'];
  expect((await svcctl(['run', 'office', '-q', ...edited])).out).toContain('system: Be brief.');
  expect((await svcctl(['run', 'office', '-q', '--agent-prompt', 'clerk=@@home', '--system-version=1'])).out).toContain('system: @home');
  const other = await svcctl(['run', 'office', '-q', '--agent-model', 'clerk=echo', '--system-version=1', '-i', 'q=Hi']);
  expect(other.out).toBe('clerk received: q: Hi\n');
  expect((await svcctl(['get', 'agent', 'clerk', '-o', 'jsonpath={.spec.prompt}'])).out).toContain('Be kind.');
});

it('run refuses a version that is not kept, and names it', async () => {
  const absent = await svcctl(['run', 'pipeline', '-q', '--agent-version', 'planner=9']);
  expect(absent.code).toBe(1);
  expect(absent.err).toMatch(/planner.*9|9.*planner/);
});

it('run puts the options over the trial of a manifest', async () => {
  const trial = {
    versions: [{ kind: 'Agent', name: 'planner', generation: 1 }],
    overrides: { prompt: { planner: 'Plan more.' } },
    wait: '2h',
  };
  const task = { apiVersion: 'svc.dev/v1', kind: 'Task', metadata: { name: 'like' }, spec: { system: 'pipeline', trial } };
  await writeFile(join(cwd, 'like.json'), JSON.stringify(task));
  await svcctl(['run', '-f', 'like.json', '--name', 'over', '-q', '--system-version', '1', '--agent-model', 'writer=echo']);
  expect(await trialOf('over')).toEqual({
    versions: [
      { kind: 'Agent', name: 'planner', generation: 1 },
      { kind: 'AgentSystem', name: 'pipeline', generation: 1 },
    ],
    overrides: { model: { writer: 'echo' }, prompt: { planner: 'Plan more.' } },
    wait: '2h',
  });
});

it('run without the options is not a trial', async () => {
  await svcctl(['run', 'pipeline', '--name', 'plain', '-q']);
  expect(await trialOf('plain')).toBeUndefined();
});

it.each([
  [['run', 'pipeline', '--break-before', ' '], '--break-before needs the name of an agent'],
  [['run', 'pipeline', '--pin', 'planner'], '--pin planner is not NODE=TEXT'],
  [['run', 'pipeline', '--pin-from', 'planner='], '--pin-from planner= is not NODE=TASK'],
  [['run', 'pipeline', '--only', 'writer='], '--only writer= is not NODE=TASK'],
  [['run', 'pipeline', '--from', 'writer=agent/first'], '"agent/first" is not a task'],
  [['run', 'pipeline', '--from', 'a=b', '--only', 'a=b'], '--only and --from cannot be combined'],
  [['run', 'pipeline', '--agent-version', 'planner=first'], '--agent-version planner=first is not AGENT=VERSION'],
  [['run', 'pipeline', '--system-version', '0'], 'It must be a whole number from 1 on'],
  [['run', 'pipeline', '--agent-model', 'planner'], '--agent-model planner is not AGENT=ENDPOINT'],
  [['run', 'pipeline', '--agent-prompt', 'a=-', '--agent-prompt', 'b=-'], 'only one --agent-prompt reads standard input'],
  [['run', 'pipeline', '--agent-prompt', 'planner=@absent.txt'], 'cannot read absent.txt: no such file or directory'],
  [['run', 'pipeline', '--trial-wait', 'soon'], '--trial-wait soon is not a duration'],
  [['continue', 'x', '--edit-input', 'a', '--end'], '--edit-input and --end cannot be combined'],
  [['continue', 'x', '--reason', 'a'], '--reason goes with --end only'],
  [['continue', 'x', '--edit-output', '@absent.txt'], 'cannot read absent.txt: no such file or directory'],
])('%j is refused as wrong usage', async (argv, message) => {
  const { code, err } = await svcctl(argv);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as unknown });
});

it('continue reports that a run waits at no breakpoint, and that a text does not fit the place', async () => {
  await svcctl(['run', 'pipeline', '--name', 'ended', '-q']);
  const ended = await svcctl(['continue', 'ended']);
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('Task default/ended does not wait at a breakpoint') as unknown });
  await svcctl(['run', 'pipeline', '--name', 'misfit', '-d', '--break-before', 'planner']);
  await blocked('misfit');
  const misfit = await svcctl(['continue', 'misfit', '--edit-output', 'x']);
  expect(misfit).toMatchObject({ code: 1, err: expect.stringContaining('the run waits before planner') as unknown });
});

it('completion offers tasks to continue', async () => {
  await svcctl(['run', 'pipeline', '--name', 'offered', '-q']);
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const complete = async () => (await svcctl(['__complete', '--', 'continue', '--edit-output', 'x', 'off'])).out;
  await expect.poll(complete).toContain('offered');
});

it('run -d prints the name of the new Task, or the Task as data', async () => {
  expect((await svcctl(['run', 'pipeline', '--name', 'detached', '-d'])).out).toBe('task/detached\n');
  const { out } = await svcctl(['run', 'pipeline', '--name', 'data', '-d', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({ kind: 'Task', metadata: { name: 'data' }, spec: { system: 'pipeline' } });
});
