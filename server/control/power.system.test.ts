// A machine that sleeps with work in flight: its clock jumps by an hour, timers stand still, and the app reports suspend and resume.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jumpingClock, withoutFaketime } from '../testing/fake-clock.ts';
import { mintCookie, startSupervised, type SupervisedServer } from '../testing/supervised-server.ts';

const HOUR_MS = 3_600_000;
const OBJECTS = `
kind: ModelEndpoint
metadata: { name: slow }
spec: { provider: mock, options: { delay: 4s } }
---
kind: Agent
metadata: { name: writer }
spec: { model_ref: slow, prompt: Write. }
---
kind: AgentSystem
metadata: { name: desk }
spec: { agents: [writer] }
---
kind: Task
metadata: { name: nightly }
spec: { system: desk, mode: template }
---
kind: TaskSchedule
metadata: { name: patient }
spec: { task_ref: nightly, schedule: '0 * * * *', starting_deadline_seconds: 7200 }
---
kind: TaskSchedule
metadata: { name: strict }
spec: { task_ref: nightly, schedule: '0 * * * *', starting_deadline_seconds: 60 }
`;

let server: SupervisedServer | undefined;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svcd-power-'));
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  rmSync(folder, { recursive: true, force: true });
});

async function connect(started: SupervisedServer) {
  const { origin } = await started.message('ready');
  const cookie = await mintCookie(started);
  const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' };
  const send = async (method: 'GET' | 'POST', path: string, body?: string) => {
    const type = path.startsWith('/v1/apply') ? 'application/yaml' : 'application/json';
    const answer = await request(new URL(path, origin), { method, headers: { ...headers, 'content-type': type }, body: body ?? null });
    const found = (await answer.body.json()) as any;
    if (answer.statusCode >= 400) throw new Error(JSON.stringify(found));
    return found;
  };
  const status = async (path: string) => (await send('GET', path)).status;
  return { send, status };
}

type Send = Awaited<ReturnType<typeof connect>>['send'];

async function modelCalls(send: Send, task: string): Promise<number> {
  const { items } = await send('GET', `/v1/tasks/${task}/trace`);
  return items.filter(({ type }: { type: string }) => type === 'model_call').length;
}

describe.skipIf(withoutFaketime('sleep of the machine'))('a sleep of the machine', () => {
  test('leaves a run with its worker, repeats no call, and lets schedules catch up within their deadlines', async () => {
    const clock = jumpingClock('2030-01-01T10:20:00Z', join(folder, 'clock'));
    server = startSupervised({ env: clock.env });
    const { send, status } = await connect(server);
    await send('POST', '/v1/apply?namespace=default', OBJECTS);
    await send('POST', '/v1/tasks', JSON.stringify({ kind: 'Task', metadata: { name: 'held' }, spec: { system: 'desk' } }));
    await expect.poll(async () => (await status('/v1/tasks/held')).phase).toBe('Running');
    await expect.poll(async () => (await status('/v1/task-schedules/patient')).nextScheduleTime).toBe('2030-01-01T11:00:00Z');

    server.send({ type: 'power', event: 'suspend' });
    clock.jump(HOUR_MS);
    server.send({ type: 'power', event: 'resume' });

    await expect.poll(async () => (await status('/v1/tasks/held')).phase, { timeout: 30_000 }).toBe('Succeeded');
    expect(await status('/v1/tasks/held')).toMatchObject({ attempts: 1 });
    expect(await modelCalls(send, 'held')).toBe(1);
    await expect
      .poll(async () => (await status('/v1/task-schedules/patient')).lastTriggeredTask, { timeout: 30_000 })
      .toMatch(/^default\//);
    await expect.poll(async () => (await status('/v1/task-schedules/strict')).nextScheduleTime).toBe('2030-01-01T12:00:00Z');
    expect((await status('/v1/task-schedules/strict')).lastTriggeredTask).toBeUndefined();
    expect(
      server
        .output()
        .split('\n')
        .filter((line) => /lease was lost|taken over/.test(line)),
    ).toEqual([]);
  });

  test('without a notice leaves a run with its worker too, whose next claim renews the lease first', async () => {
    const clock = jumpingClock('2030-01-01T10:20:00Z', join(folder, 'clock'));
    server = startSupervised({ env: clock.env });
    const { send, status } = await connect(server);
    await send('POST', '/v1/apply?namespace=default', OBJECTS);
    const create = (name: string) =>
      send('POST', '/v1/tasks', JSON.stringify({ kind: 'Task', metadata: { name }, spec: { system: 'desk' } }));
    await create('held');
    await expect.poll(async () => (await status('/v1/tasks/held')).phase).toBe('Running');
    clock.jump(HOUR_MS);
    // Its commit makes the worker claim.
    await create('next');
    for (const name of ['held', 'next']) {
      await expect.poll(async () => (await status(`/v1/tasks/${name}`)).phase, { timeout: 30_000 }).toBe('Succeeded');
      expect(await modelCalls(send, name)).toBe(1);
    }
    const { items } = await send('GET', '/v1/events?limit=500');
    expect(items.filter(({ type }: { type: string }) => /takeover|taken|requeued|expired/.test(type))).toEqual([]);
    expect(items.filter(({ type, name }: { type: string; name: string }) => type === 'task.claimed' && name === 'held')).toHaveLength(1);
  });
});
