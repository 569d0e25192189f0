// svcctl sessions against a real server: turns, events, control and checkpoints of a conversation, with the mock model.
import { beforeAll, expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import type { CliResult } from '../../testing/run-svcctl.ts';

const { start, svcctl } = await startCliServer();
beforeAll(async () => {
  const script = (steps: unknown) => ({ provider: 'mock', options: { script: JSON.stringify(steps) } });
  await apply(
    ['ModelEndpoint', 'echo', script([{ text: 'heard it', repeat: true }])],
    ['ModelEndpoint', 'loud', script([{ text: 'HEARD', repeat: true }])],
    ['ModelEndpoint', 'hangs', script([{ cases: [{ when: 'quick', text: 'quick answer' }, { hang: true }] }])],
    ['ModelEndpoint', 'fails', script([{ error: { code: 'auth_invalid', message: 'wrong key' } }])],
    ...['echo', 'hangs', 'fails'].flatMap((name) => [
      ['Agent', name, { model_ref: name, prompt: 'Speak.' }] as const,
      ['AgentSystem', name, { agents: [name] }] as const,
    ]),
  );
});

const sessions = (...argv: string[]): Promise<CliResult> => svcctl(['sessions', ...argv]);

async function apply(...objects: readonly (readonly [kind: string, name: string, spec: object])[]): Promise<void> {
  const manifests = objects.map(([kind, name, spec]) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec }));
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

let count = 0;
async function freshSession(system: string, spec: object = {}): Promise<string> {
  const name = `${system}-${(count += 1)}`;
  await apply(['Session', name, { system, ...spec }]);
  return name;
}

it('sessions send --wait prints the answer on stdout, and nothing else there', async () => {
  const name = await freshSession('echo');
  expect(await sessions('send', name, 'hello', '--wait')).toEqual({ code: 0, out: 'heard it\n', err: '' });
  expect(await svcctl(['sessions', 'send', `session/${name}`, '--wait'], { stdin: 'from a pipe' })).toMatchObject({
    code: 0,
    out: 'heard it\n',
  });
});

it('sessions send --wait exits with 1 and the reason when the turn fails', async () => {
  const { code, out, err } = await sessions('send', await freshSession('fails'), 'hello', '--wait');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('✗ the turn failed: ');
  expect(err).toContain('wrong key');
});

it('sessions send answers a repeated key with the turn that it made', async () => {
  const name = await freshSession('echo');
  const first = await sessions('send', name, 'hello', '--key', 'one', '--wait', '-o', 'json');
  expect(JSON.parse(first.out)).toMatchObject({ phase: 'Succeeded', output: { last_output: 'heard it' }, queue_sequence: 1 });
  expect(await sessions('send', name, 'hello', '--key', 'one', '--wait')).toEqual({ code: 0, out: 'heard it\n', err: '' });
  expect(await sessions('send', name, 'other', '--key', 'one')).toMatchObject({ code: 1, err: expect.stringContaining('own') as string });
  expect((await sessions('turns', name, '--no-headers')).out.trim().split('\n')).toHaveLength(1);
});

it('sessions send refuses an empty message as wrong usage', async () => {
  expect(await svcctl(['sessions', 'send', 'any'], { stdin: ' \n' })).toMatchObject({ code: 2 });
});

it.each([
  ['turns', ['turns', 'absent']],
  ['send', ['send', 'absent', 'hello']],
  ['events', ['events', 'absent', '-f']],
  ['pause', ['pause', 'absent']],
  ['interrupt', ['interrupt', 'absent']],
  ['rewind', ['rewind', 'absent', 'latest']],
])('sessions %s exits with 5 for a Session that does not exist', async (_verb, argv) => {
  expect(await sessions(...argv)).toMatchObject({ code: 5, out: '' });
});

it('sessions turns lists the newest turns of many', async () => {
  const name = await freshSession('echo');
  for (const message of ['one', 'two', 'three']) await sessions('send', name, message, '--wait');
  const rows = (await sessions('turns', name, '--limit', '2', '--no-headers')).out.trim().split('\n');
  expect(rows.map((row) => row.split(/\s{2,}/).filter((_cell, i) => i !== 2))).toEqual([
    ['2', 'Succeeded', 'two', 'heard it'],
    ['3', 'Succeeded', 'three', 'heard it'],
  ]);
  const { out } = await sessions('turns', name, '-o', 'jsonpath={.items[*].output.last_output}');
  expect(out).toBe('heard it heard it heard it\n');
});

it('sessions events -f continues after a cursor and prints events as they come', async () => {
  const name = await freshSession('echo');
  await sessions('send', name, 'one', '--wait');
  const head = JSON.parse((await sessions('events', name, '-o', 'json')).out).at(-1).seq as number;
  const following = start(['sessions', 'events', name, '-f', '--after', String(head), '-o', 'json']);
  await sessions('send', name, 'two', '--wait');
  await following.prints('turn.completed');
  following.interrupt();
  const { out } = await following.done;
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(events[0]).toMatchObject({ seq: head + 1, type: 'message.created' });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, i) => head + 1 + i));
});

it('sessions events -f ends with 5 and a sentence once the Session is deleted', async () => {
  const name = await freshSession('echo');
  const following = start(['sessions', 'events', name, '-f']);
  await following.prints('session.created');
  expect((await svcctl(['delete', 'session', name, '--yes'])).code).toBe(0);
  expect(await following.done).toMatchObject({ code: 5, err: `error: session/${name} was deleted\n` });
});

it('sessions pause, resume, complete and cancel control a Session', async () => {
  const name = await freshSession('echo');
  expect((await sessions('pause', name, '--reason', 'lunch')).out).toBe(`session/${name} paused\n`);
  expect((await sessions('send', name, 'later')).out).toBe(`turn 1 of session/${name} queued\n`);
  expect((await sessions('resume', name, '-o', 'name')).out).toBe(`session/${name}\n`);
  expect((await sessions('resume', name)).code).toBe(1);
  expect(JSON.parse((await sessions('complete', name, '-o', 'json')).out)).toMatchObject({ status: { phase: 'Completed' } });
  expect(await sessions('cancel', name)).toMatchObject({ code: 1, err: expect.stringContaining('has ended') as string });
});

it('sessions interrupt cancels the turn that runs, and the next one begins', async () => {
  const name = await freshSession('hangs');
  const waiting = start(['sessions', 'send', name, 'slow', '--wait']);
  const events = start(['sessions', 'events', name, '-f', '--type', 'turn.started', '--limit', '1']);
  await events.done;
  await sessions('send', name, 'quick');
  expect((await sessions('interrupt', name)).out).toBe(`turn 1 of session/${name} interrupted\n`);
  expect(await waiting.done).toMatchObject({ code: 1, err: expect.stringContaining('the turn was cancelled') as string });
  expect((await sessions('send', name, 'quick again', '--wait')).out).toBe('quick answer\n');
  expect(await sessions('interrupt', name)).toMatchObject({ code: 1, err: expect.stringContaining('no turn of') as string });
});

it('sessions send --wait interrupts its turn on Ctrl-C', async () => {
  const name = await freshSession('hangs');
  const waiting = start(['sessions', 'send', name, 'slow', '--wait']);
  await start(['sessions', 'events', name, '-f', '--type', 'turn.started', '--limit', '1']).done;
  waiting.interrupt();
  expect(await waiting.done).toMatchObject({ code: 130, out: '', err: expect.stringContaining('cancelled') as string });
});

it('sessions checkpoints, replay, rewind and fork go back to a point of the conversation', async () => {
  const name = await freshSession('echo');
  for (const message of ['one', 'two']) await sessions('send', name, message, '--wait');
  const list = await sessions('checkpoints', name, '-o', 'custom-columns=ID:.id,POINT:.safe_point', '--no-headers');
  const newest = list.out.split(/\s+/)[0] ?? '';
  expect(newest).toMatch(/^ckpt-/);
  expect((await sessions('checkpoints', name, 'latest', '-o', 'name')).out).toBe(`${newest}\n`);
  const replay = await sessions('replay', name, 'latest', '-o', 'json');
  expect(replay.code).toBe(0);
  expect(JSON.parse(replay.out)).toMatchObject({ verified: true, model_calls: 0, tool_calls: 0 });
  const fork = await sessions('fork', name, 'latest', '--name', `${name}-fork`, '--model', 'loud', '--resume');
  expect(fork.out).toBe(`session/${name}-fork created from session/${name}, resumed\n`);
  expect((await sessions('send', `${name}-fork`, 'three', '--wait')).out).toBe('HEARD\n');
  const first = (await sessions('turns', name, '--no-headers', '-o', 'jsonpath={.items[0].id}')).out.trim();
  const ofFirst = JSON.parse((await sessions('checkpoints', name, '-o', 'json')).out) as { id: string; turn_id: string }[];
  const target = ofFirst.find(({ turn_id: turn }) => turn === first)?.id ?? '';
  expect((await sessions('rewind', name, target, '--resume')).out).toBe(`session/${name} rewound to ${target} and resumed\n`);
  expect((await sessions('turns', name, '-o', 'jsonpath={.items[*].phase}')).out).toBe('Succeeded Cancelled\n');
});

it('sessions diff prints the messages, models and tokens that differ between a Session and its fork', async () => {
  const name = await freshSession('echo');
  for (const message of ['one', 'two']) await sessions('send', name, message, '--wait');
  expect((await sessions('fork', name, '1', '--name', `${name}-fork`, '--model', 'loud', '--resume')).code).toBe(0);
  await sessions('send', `${name}-fork`, 'three', '--wait');
  const { code, out, err } = await sessions('diff', name, 'latest', 'latest', '--session', `default/${name}-fork`);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out.replace(/ckpt-\S+|\d{4}-\S+Z/g, '*').split('\n')).toEqual([
    `< session/${name} * turn.completed * (namespace default)`,
    `> session/${name}-fork * turn.completed * (namespace default)`,
    '',
    'Messages',
    '2 in common',
    '< user: two',
    '< assistant: heard it',
    '> user: three',
    '> assistant: HEARD',
    '',
    'Outputs',
    '< echo: heard it',
    '> echo: HEARD',
    '',
    'Agents',
    '< echo model: echo',
    '> echo model: loud',
    '',
    'Tokens',
    expect.stringMatching(/^< \d+ of input, \d+ of output$/),
    expect.stringMatching(/^> \d+ of input, \d+ of output$/),
    '',
  ]);
});

it('sessions diff exits with 0 for equal checkpoints, 1 for different ones and 2 for a failure', async () => {
  const name = await freshSession('echo');
  for (const message of ['one', 'two']) await sessions('send', name, message, '--wait');
  const same = await sessions('diff', name, 'latest', '2');
  expect(same).toMatchObject({ code: 0, err: '' });
  expect(same.out).toContain('\nMessages\n4 in common\n\nNo differences.\n');
  const different = await sessions('diff', name, '1', '2', '-o', 'json');
  expect(different.code).toBe(1);
  expect(JSON.parse(different.out)).toMatchObject({ messages: { right: [{ content: 'two' }, { content: 'heard it' }] } });
  expect((await sessions('diff', name, '1', '2', '--session', 'task/x')).code).toBe(2);
  expect((await sessions('diff', name, '1', '9')).code).toBe(5);
});

it.each([
  ['an unknown agent', ['--agent-model', 'nobody=loud'], 1, 'no agent nobody'],
  ['a value without an agent', ['--agent-model', 'loud'], 2, 'is not AGENT=VALUE'],
  ['an empty prompt', ['--prompt', ' '], 2, '--prompt is empty'],
  ['a model for all and for one', ['--model', 'loud', '--agent-model', 'echo=loud'], 2, 'cannot be combined'],
  ['a bad name', ['--name', 'Not/A Name'], 1, 'name'],
])('sessions fork refuses %s', async (_what, flags, code, message) => {
  const name = await freshSession('echo');
  await sessions('send', name, 'one', '--wait');
  expect(await sessions('fork', name, 'latest', ...flags)).toMatchObject({ code, err: expect.stringContaining(message) as string });
});

it('sessions rewind names the verb that lists checkpoints for a number that does not exist', async () => {
  const { code, err } = await sessions('rewind', await freshSession('echo'), '7');
  expect(code).toBe(5);
  expect(err).toMatch(/does not have checkpoint 7\nhint: .* sessions checkpoints /);
});

it('completion offers verbs, Sessions and checkpoints', async () => {
  const name = await freshSession('echo');
  await sessions('send', name, 'one', '--wait');
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const complete = async (...words: string[]) => (await svcctl(['__complete', '--', ...words])).out.trim().split('\n');
  await expect.poll(() => complete('sessions', 'che')).toEqual(['checkpoints']);
  await expect.poll(() => complete('sessions', 'events', '-f', name.slice(0, 5))).toContain(name);
  const checkpoints = ['latest', expect.stringMatching(/^ckpt-/)];
  await expect.poll(() => complete('sessions', 'rewind', name, '')).toEqual(checkpoints);
  await expect.poll(() => complete('sessions', 'rewind', name, 'latest', '')).toEqual(['']);
  await expect.poll(() => complete('sessions', 'diff', name, 'latest', '')).toEqual(checkpoints);
  await expect.poll(() => complete('sessions', 'diff', name, 'latest', '1', '--session', name.slice(0, 5))).toContain(name);
});
