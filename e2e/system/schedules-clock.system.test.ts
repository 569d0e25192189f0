// Schedules of a real server by a clock that runs fast: minutes pass in seconds, over a change of clocks, a kill and a clock that is set back.
import { describe, expect, test, vi } from 'vitest';
import { fakeClock, withoutFaketime } from '../../server/testing/fake-clock.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

interface Run {
  readonly metadata: { readonly name: string; readonly createdAt: string; readonly labels: Readonly<Record<string, string>> };
  readonly status?: { readonly phase?: string };
}

/** Slots by schedule, one for each minute: a busy machine may run one late and still owes it. */
const MINUTES = ['06:59', '07:00', '07:01', '07:02', '07:03', '07:04', '07:05', '07:06'];
const slotName = (time: string): string => `at-${time.replace(':', '')}`;
/** Clocks of New York jump at 07:00 UTC from two o'clock to three. */
const JUMP = '2026-03-08T07:00:00Z';

async function apply({ url }: ServerProcess): Promise<void> {
  const post = async (plural: string, name: string, spec: object) => {
    const body = JSON.stringify({ metadata: { name }, spec });
    const answer = await fetch(`${url}/v1/${plural}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect({ name, status: answer.status }).toEqual({ name, status: 201 });
  };
  await post('model-endpoints', 'echo', { provider: 'mock', options: { script: JSON.stringify([{ text: 'Done.', repeat: true }]) } });
  await post('agents', 'clerk', { model_ref: 'echo', prompt: 'Work.' });
  await post('agent-systems', 'office', { agents: ['clerk'] });
  await post('tasks', 'template', { system: 'office', mode: 'template' });
  const schedule = (name: string, cron: string, zone = 'UTC') =>
    post('task-schedules', name, {
      ...{ task_ref: 'template', schedule: cron, time_zone: zone },
      ...{ starting_deadline_seconds: 3_600, successful_history_limit: 100 },
    });
  for (const time of MINUTES) {
    const [hour, minute] = time.split(':').map(Number);
    await schedule(slotName(time), `${minute} ${hour} * * *`);
  }
  await schedule('each-minute', '* * * * *');
  await schedule('skipped', '30 2 * * *', 'America/New_York');
  await schedule('skipped-list', '10,40 2,14 * * *', 'America/New_York');
}

async function runsOf({ url }: ServerProcess, schedule: string): Promise<Run[]> {
  const answer = await fetch(`${url}/v1/tasks?limit=500&labelSelector=${encodeURIComponent(`svc.dev/task-schedule=${schedule}`)}`);
  return ((await answer.json()) as { items: Run[] }).items;
}

const slotOf = ({ metadata: { labels } }: Run): string => labels['svc.dev/task-schedule-slot'] ?? '';

/** Waits for the run of a schedule that has one slot. */
const untilRan = (server: ServerProcess, schedule: string): Promise<void> =>
  vi.waitFor(async () => expect(await runsOf(server, schedule)).toHaveLength(1), { timeout: 90_000, interval: 200 });

describe.skipIf(withoutFaketime('schedules by a fast clock'))('schedules by a fast clock', () => {
  test('a server runs each slot once, with its label, over a change of clocks, a kill and a clock that is set back', async () => {
    let server = await startServerProcess({ env: fakeClock('2026-03-08T06:00:00Z', 1) });
    const { dataDir } = server;
    const restart = async (from: string, signal: NodeJS.Signals) => {
      await server.end(signal);
      server = await startServerProcess({ dataDir, env: fakeClock(from, 30) });
    };
    try {
      await apply(server);
      await restart('2026-03-08T06:58:30Z', 'SIGTERM');
      await untilRan(server, slotName('07:03'));
      await restart('2026-03-08T07:01:30Z', 'SIGKILL');
      for (const name of [...MINUTES.map(slotName), 'skipped', 'skipped-list']) await untilRan(server, name);
      for (const time of MINUTES) {
        const slot = `2026-03-08T${time}:00Z`;
        const runs = await runsOf(server, slotName(time));
        const name = `${slotName(time)}-20260308-${time.replace(':', '')}`;
        expect(runs.map((run) => ({ name: run.metadata.name, slot: slotOf(run) }))).toEqual([{ name, slot }]);
        expect(Date.parse(runs[0]?.metadata.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(slot));
      }
      for (const name of ['skipped', 'skipped-list']) expect([name, ...(await runsOf(server, name)).map(slotOf)]).toEqual([name, JUMP]);
      const slots = (await runsOf(server, 'each-minute')).map(slotOf);
      expect(slots.filter((slot, i) => slots.indexOf(slot) !== i)).toEqual([]);
      for (const slot of slots) expect(slot).toMatch(/^2026-03-08T0[67]:\d\d:00Z$/);
    } finally {
      await server.dispose();
    }
  }, 240_000);
});
