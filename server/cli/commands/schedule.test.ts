// svcctl schedule against a real server.
import { expect, it, vi } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl } = await startCliServer();

const object = (kind: string, name: string, spec: object) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });

async function apply(...manifests: object[]): Promise<void> {
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

const applySchedule = (name: string, spec: object = {}): Promise<void> =>
  apply(
    object('ModelEndpoint', 'echo', { provider: 'mock', options: { script: JSON.stringify([{ text: 'Done.', repeat: true }]) } }),
    object('Agent', 'clerk', { model_ref: 'echo', prompt: 'Work.' }),
    object('AgentSystem', 'office', { agents: ['clerk'] }),
    object('Task', 'template', { system: 'office', mode: 'template' }),
    object('TaskSchedule', name, { task_ref: 'template', schedule: '30 9 * * 1-5', time_zone: 'Europe/Berlin', ...spec }),
  );

interface Listed {
  readonly name: string;
  readonly [field: string]: unknown;
}

async function listed(name: string): Promise<Listed | undefined> {
  const { out } = await svcctl(['schedule', 'list', '-o', 'json']);
  return (JSON.parse(out) as Listed[]).find((each) => each.name === name);
}

it('schedule list shows when each schedule runs, and how its last run ended', async () => {
  await applySchedule('daily');
  expect(await listed('daily')).toMatchObject({ words: 'every weekday at 09:30, Berlin time', last_outcome: null });
  const { code, out } = await svcctl(['schedule', 'trigger', 'schedule/daily']);
  expect(code).toBe(0);
  expect(out).toMatch(/^task\/daily-\d{8}-\d{4} created\n$/);
  await vi.waitFor(async () => expect(await listed('daily')).toMatchObject({ last_outcome: 'Succeeded' }), 20_000);
  const task = out.replace(/^task\/(\S+) created\n$/, 'default/$1');
  expect(await listed('daily')).toMatchObject({ last_task: task, problem: null, next: expect.any(String) as unknown });
  expect((await svcctl(['schedule', 'list'])).out).toMatch(/daily +Ready +every weekday at 09:30, Berlin time +in \S+ +Succeeded/);
  await svcctl(['delete', out.replace(' created\n', '')]);
  expect(await listed('daily')).toMatchObject({ last_outcome: 'deleted' });
});

it('schedule preview lists the next due times of a schedule in its time zone', async () => {
  await applySchedule('previewed');
  const { code, out, err } = await svcctl(['schedule', 'preview', 'previewed', '--count', '3']);
  expect(code).toBe(0);
  expect(err).toBe('every weekday at 09:30, Berlin time\n');
  const [header, ...rows] = out.trimEnd().split('\n');
  expect(header).toMatch(/^DUE +IN +UTC$/);
  expect(rows).toHaveLength(3);
  for (const row of rows) expect(row).toMatch(/^\w{3}, .* 09:30 GMT\+[12] .*T0[78]:30:00Z$/);
});

it('schedule preview of a cron line needs no server', async () => {
  const argv = ['schedule', 'preview', '--cron', '0 12 1 1 *', '--time-zone', 'Asia/Kathmandu', '--count', '1', '-o', 'json'];
  const { code, out } = await svcctl(['--server', 'http://127.0.0.1:1', ...argv]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([
    {
      time: expect.stringMatching(/-01-01T06:15:00Z$/) as unknown,
      local: expect.stringContaining('12:00 GMT+5:45') as unknown,
    },
  ]);
});

it('schedule suspend stops a schedule and resume starts it again', async () => {
  await applySchedule('paused');
  const both = ['paused', 'schedule/paused'];
  expect((await svcctl(['schedule', 'suspend', ...both])).out).toBe('task-schedule/paused suspended\ntask-schedule/paused unchanged\n');
  expect(await listed('paused')).toMatchObject({ next: null });
  expect((await svcctl(['schedule', 'preview', 'paused'])).err).toContain('suspended: it would run at these times');
  expect((await svcctl(['schedule', 'suspend', 'paused', '--reason', 'no data'])).out).toBe('task-schedule/paused suspended\n');
  const reason = async () => (await svcctl(['get', 'schedule/paused', '-o', 'jsonpath={.metadata.annotations}'])).out;
  expect(await reason()).toContain('no data');
  expect((await svcctl(['schedule', 'resume', 'paused'])).out).toBe('task-schedule/paused resumed\n');
  expect(await reason()).not.toContain('no data');
  expect(await listed('paused')).toMatchObject({ next: expect.any(String) as unknown });
});

it.each([
  [['schedule', 'pre'], ['preview']],
  [['schedule', 'trigger', ''], ['completed']],
  [['schedule', 'suspend', 'other', ''], ['completed']],
  [['schedule', 'preview', 'other', ''], []],
  [['schedule', 'preview', '--time-zone', 'Europe/Berl'], ['Europe/Berlin']],
])('completion offers what may follow %j', async (words, candidates) => {
  await applySchedule('completed');
  // svcctl waits less than a second for names from the server: on a busy machine it offers none.
  const lines = async () => (await svcctl(['__complete', '--', ...words])).out.split('\n').filter((line) => line !== '');
  await expect.poll(lines).toEqual(candidates.length === 0 ? [] : expect.arrayContaining(candidates));
});

it.each([
  ['a schedule together with a cron line', ['preview', 'x', '--cron', '* * * * *'], 2, 'name a schedule, or give a cron line'],
  ['neither a schedule nor a cron line', ['preview'], 2, 'name a schedule, or give a cron line'],
  ['a time zone for a schedule', ['preview', 'x', '--time-zone', 'UTC'], 2, '--time-zone belongs to --cron'],
  ['a cron line of four fields', ['preview', '--cron', '* * * *'], 2, '--cron must have 5 fields'],
  ['a date that never comes', ['preview', '--cron', '0 0 31 2 *'], 2, '--cron never fires'],
  ['an unknown time zone', ['preview', '--cron', '* * * * *', '--time-zone', 'Mars/Olympus'], 2, '--time-zone must be an IANA'],
  ['a count of zero', ['preview', 'x', '--count', '0'], 2, '--count must be a number from 1 to 1000'],
  ['a count above the bound', ['preview', 'x', '--count', '1001'], 2, '--count must be a number from 1 to 1000'],
  ['a backfill without an end', ['backfill', 'x', '--from', '2026-01-05T00:00:00Z'], 2, "--to <time>' not specified"],
  ['a backfill from no time', ['backfill', 'x', '--from', '5.1.2026', '--to', '2026-01-06'], 2, '--from must be an RFC 3339 time'],
  ['another kind', ['trigger', 'task/x'], 2, 'is not a'],
  ['a schedule that does not exist', ['trigger', 'absent'], 5, 'absent'],
])('schedule refuses %s', async (_what, argv, code, message) => {
  const result = await svcctl(['schedule', ...argv]);
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(result.err).toContain(message);
});

it('schedule history lists slots with the outcome of their runs', async () => {
  await applySchedule('told');
  expect((await svcctl(['schedule', 'history', 'told'])).err).toContain('No slots yet.');
  const { out } = await svcctl(['schedule', 'trigger', 'told']);
  const task = out.replace(/^task\/(\S+) created\n$/, 'default/$1');
  await vi.waitFor(async () => {
    const table = (await svcctl(['schedule', 'history', 'told', '-o', 'wide'])).out;
    expect(table).toMatch(new RegExp(`by hand +\\S+ +Succeeded +${task} +started by `));
  }, 20_000);
  const records = JSON.parse((await svcctl(['schedule', 'history', 'told', '-o', 'json'])).out) as Listed[];
  expect(records).toMatchObject([{ id: '1', slot: null, outcome: 'started', count: 1, task, phase: 'Succeeded' }]);
});

it('schedule backfill lists the due times of a range, and starts each run once', async () => {
  await applySchedule('behind', { suspend: true });
  const argv = ['schedule', 'backfill', 'behind', '--from', '2025-10-24', '--to', '2025-10-27'];
  const table = async (...more: string[]) => (await svcctl([...argv, ...more])).out.split('\n');
  expect(await table('--dry-run')).toEqual([
    expect.stringMatching(/^DUE +UTC +RUN +TASK$/),
    expect.stringMatching(/^Fri, 24 Oct 2025, 09:30 GMT\+2 +2025-10-24T07:30:00Z +missing +-$/),
    expect.stringMatching(/^Mon, 27 Oct 2025, 09:30 GMT\+1 +2025-10-27T08:30:00Z +missing +-$/),
    '',
  ]);
  expect(await table('--no-headers')).toEqual([
    expect.stringMatching(/Z +created +default\/behind-20251024-0730$/),
    expect.stringMatching(/Z +created +default\/behind-20251027-0830$/),
    '',
  ]);
  expect((await table('--no-headers'))[0]).toMatch(/Z +exists +default\/behind-20251024-0730$/);
  const again = JSON.parse((await svcctl([...argv, '--dry-run', '-o', 'json'])).out) as unknown;
  expect(again).toMatchObject([{ task: 'default/behind-20251024-0730', created: false }, { created: false }]);
  const { code, err } = await svcctl(['schedule', 'backfill', 'behind', '--from', '2026-01-01T00:00:00Z', '--to', '2999-01-01T00:00:00Z']);
  expect(code).not.toBe(0);
  expect(err).toContain('to must not be in the future');
  // Today ends now.
  const today = new Date().toISOString().slice(0, 10);
  expect((await svcctl(['schedule', 'backfill', 'behind', '--from', today, '--to', today, '--dry-run'])).code).toBe(0);
  expect((await svcctl(['schedule', 'history', 'behind', '--no-headers'])).out).toMatch(
    /^2025-10-27T08:30:00Z +\S+ +backfilled \(2\) +- +from /,
  );
});
