// Tables, trees and the live feed at 80 columns with names and texts as long as real ones; and whole where nothing is cut.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { startFakeApi, type FakeApi } from '../../testing/fake-api.ts';
import { startSvcctl, type CliOptions } from '../../testing/run-svcctl.ts';
import { textWidth } from './text-width.ts';

const COLUMNS = 80;
const ESCAPE = '\u001b';
const APPROVAL = 'approval-3f0c9a7b5d2e41f8a6c3b1d0';
const LONG: Readonly<Record<string, string>> = {
  name: 'order-fulfilment-nightly-20261122-0600-k3x9d2',
  namespace: 'customer-operations-europe',
  task: 'order-fulfilment-nightly-20261122-0600-k3x9d2-retry-2',
  task_ref: 'order-fulfilment-nightly-20261122-0600-k3x9d2-retry-2',
  agent: 'contract-risk-reviewer-europe',
  tool: 'payments-refund-transfer',
  phase: 'WaitingApproval',
  approval: APPROVAL,
};
const SENTENCE = 'the endpoint of the tool did not answer within 30 seconds, so that the call counts as failed and is tried again';

let api: FakeApi;
beforeAll(async () => {
  api = await startFakeApi((what) => (what === 'warning' ? 'changed' : (LONG[what] ?? SENTENCE)));
});
afterAll(() => api.stop());

const run = (argv: readonly string[], options: CliOptions = {}) =>
  startSvcctl(argv, { cwd: '/', env: { SVCCTL_SERVER: api.url } }, options).done;
const tooWide = (text: string) =>
  text
    .replace(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')
    .split('\n')
    .filter((line) => textWidth(line) > COLUMNS);

const TABLES: readonly (readonly string[])[] = [
  ...kinds.flatMap(({ plural }) => [
    ['get', plural],
    ['get', plural, '-A'],
  ]),
  ['get', 'all', '-A'],
  ['get', 'agents,tools', '--show-labels'],
  ['get', 'tasks', '-o', 'custom-columns=NAME:.metadata.name,SPACE:.metadata.namespace,OUTPUT:.status.output'],
  ['events'],
  ['events', '-A'],
  ['approvals', 'list'],
  ['approvals', 'list', '--all', '-A'],
  ['messages', 'a'],
  ['decisions', 'list'],
  ['tokens', 'list'],
  ['users', 'list'],
  ['users', 'sign-ins'],
  ['sessions', 'turns', 'a'],
  ['sessions', 'events', 'a'],
  ['sessions', 'checkpoints', 'a'],
  ['sessions', 'replay', 'a', 'c'],
  ['sessions', 'diff', 'a', 'c', 'd'],
  ['mcp', 'tools', 'a'],
  ['memory', 'list', 'a'],
  ['memory', 'search', 'a', 'b'],
  ['auth', 'can-i', 'a', 'b'],
  ['api-resources'],
  ['namespaces'],
  ['init'],
  ['trace', 'a'],
  ['run', 'a'],
];

describe('at 80 columns', () => {
  it.each(TABLES.map((argv) => [argv.join(' '), argv] as const))('%s prints no wider line', async (_title, argv) => {
    const { out, err } = await run(argv, { columns: COLUMNS });
    expect({ out: tooWide(out), err: tooWide(err) }).toEqual({ out: [], err: [] });
    expect(`${out}${err}`.length).toBeGreaterThan(0);
  });

  it('describe prints history and events no wider', async () => {
    const { out } = await run(['describe', 'task', 'a'], { columns: COLUMNS });
    const records = out.slice(out.indexOf('History:'));
    expect(records).toMatch(/takeover +\S/);
    expect(tooWide(records.replace(/Explanation:[^]*?\n\n/, ''))).toEqual([]);
  });

  it('an approval keeps its name and its subject', async () => {
    const { out, err } = await run(['approvals', 'list'], { columns: COLUMNS });
    expect(out).toContain(LONG['name']);
    expect(err).toMatch(/Not shown at this width: .*-o wide prints all/);
  });

  it('a list of records names the columns that are left out', async () => {
    const { err } = await run(['memory', 'list', 'a'], { columns: 40 });
    expect(err.replaceAll('\n', ' ')).toMatch(/Not shown at this width: BYTES.*-o wide prints/);
  });

  it('a live table prints no line wider than the terminal', async () => {
    const watch = startSvcctl(['get', 'tool-approvals', '-w'], { cwd: '/', env: { SVCCTL_SERVER: api.url } }, { columns: COLUMNS });
    await watch.prints('created');
    watch.interrupt();
    expect(tooWide((await watch.done).out)).toEqual([]);
  });

  it('the live feed and the trace name an approval in full with the command that decides it', async () => {
    expect((await run(['run', 'a'], { columns: COLUMNS })).err).toContain(`npx svcctl approve ${APPROVAL}`);
    expect((await run(['run', 'a', '-n', 'team'], { columns: COLUMNS })).err).toContain(`npx svcctl -n team approve ${APPROVAL}`);
  });

  it('a failed run prints no output of a branch', async () => {
    expect(await run(['run', 'a'])).toMatchObject({ code: 1, out: '' });
  });
});

describe('a pipe and -o wide', () => {
  it.each([
    ['a pipe', ['get', 'tool-approvals'], {}],
    ['-o wide', ['get', 'tool-approvals', '-o', 'wide'], { columns: COLUMNS }],
    ['messages in a pipe', ['messages', 'a'], {}],
    ['messages -o wide', ['messages', 'a', '-o', 'wide'], { columns: COLUMNS }],
    ['approvals in a pipe', ['approvals', 'list'], {}],
    ['decisions in a pipe', ['decisions', 'list'], {}],
    ['describe in a pipe', ['describe', 'task', 'a'], {}],
    ['trace in a pipe', ['trace', 'a'], {}],
  ])('%s cuts nothing', async (_title, argv, options) => {
    const { out } = await run(argv, options);
    expect(out.length).toBeGreaterThan(0);
    expect(out).not.toContain('…');
  });
});

it('describe works on a terminal that is narrower than its titles', async () => {
  expect(await run(['describe', 'task/a'], { columns: 12 })).toMatchObject({ code: 0 });
});
