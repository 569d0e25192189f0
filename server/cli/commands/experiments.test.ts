// svcctl experiment against a real server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl } = await startCliServer();

const object = (kind: string, name: string, spec: object) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
const SCRIPT = JSON.stringify([{ text: '{{system}} You wrote: {{input}}', repeat: true }]);

const CASES = [
  { name: 'greeting', input: { message: 'Hello' } },
  { name: 'refund', input: { message: 'Where is my money?' } },
];
const BEFORE = { name: 'before', versions: [{ kind: 'Agent', name: 'clerk', generation: 1 }] };
const TONE = { system: 'office', cases: CASES, variants: [{ name: 'today' }, BEFORE] };

let dir: string;
async function manifest(name: string, spec: object, more: object[] = []): Promise<string> {
  const path = join(dir, `${name}.yaml`);
  await writeFile(path, [object('Experiment', name, spec), ...more].map((each) => JSON.stringify(each)).join('\n---\n'));
  return path;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svcctl-experiments-'));
  const apply = (...manifests: object[]) =>
    svcctl(['apply', '-f', '-'], { stdin: manifests.map((each) => JSON.stringify(each)).join('\n---\n') });
  await apply(
    object('ModelEndpoint', 'echo', { provider: 'mock', options: { script: SCRIPT } }),
    object('Agent', 'clerk', { model_ref: 'echo', prompt: 'Be formal.' }),
    object('AgentSystem', 'office', { agents: ['clerk'] }),
  );
  await apply(object('Agent', 'clerk', { model_ref: 'echo', prompt: 'Be kind.' }));
});
afterAll(() => rm(dir, { recursive: true }));

it('experiment run estimates, starts and waits; results, rate and export follow', async () => {
  const path = await manifest('tone', TONE);
  const dry = await svcctl(['experiment', 'run', '-f', path, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, out: '4 runs; tokens and cost are not known: the system has no earlier runs\n' });
  const run = await svcctl(['experiment', 'run', '-f', path, '--wait']);
  expect(run.code).toBe(0);
  expect(run.err).toContain('experiment/tone created\nCompleted: 4 of 4 runs\n');
  expect(run.out).toMatch(/^VARIANT +RUNS +SUCCEEDED +FAILED +UP +DOWN +TOKENS +COST +P50 +P95\ntoday +2 +2 +0 +0 +0 +\d+/);
  const again = await svcctl(['experiment', 'run', '-f', path]);
  expect([again.code, again.err.slice(again.err.indexOf('error:'))]).toEqual([
    1,
    'error: Experiment default/tone already exists\nhint: choose another --name\n',
  ]);

  const rated = await svcctl(['experiment', 'rate', 'experiment/tone', '2', 'down', '--note', 'too stiff']);
  expect(rated.out).toBe('experiment/tone run 2 rated: down: too stiff\n');
  expect((await svcctl(['experiment', 'rate', 'tone', '2', 'up'])).out).toBe('experiment/tone run 2 rated: up: too stiff\n');
  expect((await svcctl(['experiment', 'rate', 'tone', '2', 'none', '--note', ''])).out).toBe('experiment/tone run 2 rated: -\n');
  await svcctl(['experiment', 'rate', 'tone', '2', 'down', '--note', '=too stiff']);
  expect((await svcctl(['experiment', 'get', 'tone'])).out).toMatch(/before +2 +2 +0 +0 +1 /);

  const down = JSON.parse((await svcctl(['experiment', 'results', 'tone', '--down', '-o', 'json'])).out) as ExperimentResult[];
  expect(down.map(({ run: number, case: row, variant }) => [number, row, variant])).toEqual([[2, 'greeting', 'before']]);
  expect(down[0]?.output).toContain('Hello');
  expect((await svcctl(['experiment', 'results', 'tone', '--case', 'refund'])).out.trim().split('\n')).toHaveLength(3);
  expect((await svcctl(['experiment', 'results', 'tone', '--failed'])).err).toContain('No results.');

  const csv = (await svcctl(['experiment', 'export', 'tone'])).out;
  expect(csv.split('\n')[0]).toContain('run,case,variant,repeat,task,outcome,output');
  expect(csv).toContain("down,'=too stiff,anonymous");
  const json = JSON.parse((await svcctl(['experiment', 'export', 'tone', '--format', 'json'])).out) as ExperimentResult[];
  expect(json).toHaveLength(4);
  expect((await svcctl(['get', 'experiments'])).out).toMatch(/tone +Completed +office +4 +4 +0/);
});

it('experiment run above 20 runs starts nothing without a terminal', async () => {
  const path = await manifest('large', { ...TONE, repeats: 6 });
  const refused = await svcctl(['experiment', 'run', '-f', path]);
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/large would start 24 runs; about \d+ tokens.*there is no terminal to confirm it/s);
  expect((await svcctl(['get', 'experiment', 'large'])).code).toBe(5);
  expect((await svcctl(['experiment', 'run', '-f', path, '--yes', '--wait'])).code).toBe(0);
});

it('experiment results shows why runs failed', async () => {
  const failing = object('ModelEndpoint', 'failing', {
    provider: 'mock',
    options: { script: JSON.stringify([{ error: { code: 'execution_failed', retryable: false, message: 'The model is out.' } }]) },
  });
  const path = await manifest('fails', { ...TONE, system: 'broken', variants: [{ name: 'today' }] });
  const parts = [failing, object('Agent', 'mute', { model_ref: 'failing' }), object('AgentSystem', 'broken', { agents: ['mute'] })];
  await svcctl(['apply', '-f', '-'], { stdin: parts.map((each) => JSON.stringify(each)).join('\n---\n') });
  const run = await svcctl(['experiment', 'run', '-f', path, '--wait']);
  expect(run.err).toContain('experiment results fails --failed" shows why runs failed');
  expect((await svcctl(['experiment', 'results', 'fails', '--failed'])).out).toMatch(/1 +greeting .*The model is out\./);
});

it('experiment cancel ends it once', async () => {
  const path = await manifest('long', { ...TONE, repeats: 10, parallelism: 1 });
  await svcctl(['experiment', 'run', '-f', path, '--yes']);
  expect(await svcctl(['experiment', 'cancel', 'long', '--reason', 'enough'])).toMatchObject({
    code: 0,
    out: 'experiment/long cancelled\n',
  });
  expect((await svcctl(['wait', 'experiment/long', '--for', 'phase=Cancelled'])).code).toBe(0);
  const again = await svcctl(['experiment', 'cancel', 'long']);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('has ended as Cancelled')]);
});

it.each([
  [
    'a version that was never there',
    { ...TONE, variants: [{ ...BEFORE, versions: [{ kind: 'Agent', name: 'clerk', generation: 9 }] }] },
    'has no version 9',
  ],
  [
    '1,001 runs',
    {
      ...TONE,
      cases: Array.from({ length: 143 }, (_, i) => ({ name: `c${i}` })),
      variants: 'abcdefg'.split('').map((name) => ({ name })),
      budget: { max_tokens: 1 },
    },
    'at most 1000 runs',
  ],
  ['a case twice', { ...TONE, cases: [CASES[0], CASES[0]] }, 'must be unique'],
])('experiment run refuses %s', async (_, spec, message) => {
  const { code, err } = await svcctl(['experiment', 'run', '-f', await manifest('bad', spec)]);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});

it.each([
  [['run', '-f', 'two'], 2, 'must hold one Experiment and nothing else'],
  [['results', 'absent'], 5, 'absent'],
  [['rate', 'tone', 'x', 'up'], 2, '"x" is not a run number'],
  [['rate', 'tone', '1', 'sideways'], 2, 'the thumb must be up, down or none'],
  [['rate', 'tone', '999', 'up'], 5, 'has no run 999'],
  [['export', 'tone', '--format', 'xml'], 2, '--format must be csv or json'],
  [['get', 'task/tone'], 2, '"task/tone" is not a experiment'],
])('experiment %j ends with exit code %i', async (argv, code, message) => {
  const two = await manifest('two', TONE, [object('Memory', 'm', {})]);
  const result = await svcctl(['experiment', ...argv.map((word) => (word === 'two' ? two : word))]);
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(message)]);
});
