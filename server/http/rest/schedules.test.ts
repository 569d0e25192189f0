// Backfill over REST and the console's procedures, on a whole server without a worker.
import { beforeAll, expect, test } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startTestServer } from '../../testing/running-server.ts';

const RANGE = { from: '2026-01-05T00:00:00Z', to: '2026-01-06T03:00:00+01:00' };
const REF = { namespace: 'default', name: 'nightly' };
const PATH = '/v1/task-schedules/nightly/backfill';

let url: string;

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}

beforeAll(async () => {
  const server = await startTestServer(['--embedded-worker', 'false']);
  atFileEnd(server.stop);
  ({ url } = server);
  const documents: [string, string, object][] = [
    ['tasks', 'template', { system: 'desk', mode: 'template' }],
    ['task-schedules', 'nightly', { task_ref: 'template', schedule: '0 2 * * *', suspend: true }],
  ];
  for (const [plural, name, spec] of documents)
    expect(await send('POST', `/v1/${plural}`, { metadata: { name }, spec })).toMatchObject({ status: 201 });
});

test('a backfill is previewed, started and found again by either interface', async () => {
  const input = encodeURIComponent(JSON.stringify({ ...REF, ...RANGE }));
  const slots = ['2026-01-05T02:00:00Z', '2026-01-06T02:00:00Z'];
  const missing = { time_zone: 'UTC', items: slots.map((slot) => ({ slot, task: null, created: false })), unrecorded_before: null };
  const query = new URLSearchParams(RANGE).toString();
  expect(await send('GET', `${PATH}?${query}`)).toEqual({ status: 200, body: missing });
  expect(await send('GET', `/trpc/schedules.previewBackfill?input=${input}`)).toMatchObject({ body: { result: { data: missing } } });
  const tasks = ['default/nightly-20260105-0200', 'default/nightly-20260106-0200'];
  const items = slots.map((slot, at) => ({ slot, task: tasks[at], created: true }));
  expect(await send('POST', PATH, RANGE)).toEqual({ status: 202, body: { ...missing, items } });
  const again = { ...missing, items: items.map((item) => ({ ...item, created: false })) };
  expect(await send('POST', '/trpc/schedules.backfill', { ...REF, ...RANGE })).toMatchObject({ body: { result: { data: again } } });
  expect(await send('POST', PATH, RANGE)).toEqual({ status: 202, body: again });
});

test.each([
  ['GET', `${PATH}?from=2026-01-05&to=2026-01-06T00:00:00Z`, undefined, 'from', 'must be an RFC 3339 time'],
  ['GET', `${PATH}?from=2026-01-05T00:00:00Z`, undefined, 'to', 'must be an RFC 3339 time'],
  ['POST', PATH, { ...RANGE, until: 'now' }, 'until', 'is not a field of this request; it takes from, to'],
  ['POST', PATH, { ...RANGE, to: 5 }, 'to', 'must be a string'],
  ['POST', PATH, undefined, 'from', 'must be an RFC 3339 time'],
  ['POST', PATH, { from: RANGE.to, to: RANGE.from }, 'from', 'must not be after'],
  ['POST', PATH, { ...RANGE, to: '2999-01-01T00:00:00Z' }, 'to', 'must not be in the future'],
  ['POST', PATH, { ...RANGE, from: '2025-01-01T00:00:00Z' }, 'to', 'at most 100 due times'],
])('%s %s with %j is refused at %s', async (method, path, body, field, message) => {
  const reply = await send(method, path, body);
  expect(reply).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
  const { details } = reply.body['error'] as { readonly details: readonly { readonly path: string; readonly message: string }[] };
  expect(details[0]).toMatchObject({ path: field, message: expect.stringContaining(message) as string });
});
