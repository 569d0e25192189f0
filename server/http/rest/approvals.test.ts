// Bodies of decisions over REST on a whole server.
import { beforeAll, expect, test } from 'vitest';
import { atFileEnd } from '../../testing/file-end.ts';
import { startTestServer } from '../../testing/running-server.ts';

let url = '';
beforeAll(async () => {
  const server = await startTestServer(['--embedded-worker', 'false']);
  atFileEnd(server.stop);
  ({ url } = server);
});

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const sentBack = { status: 200, body: { status: { phase: 'ChangesRequested', comment: 'be kinder' } } };

test.each([
  ['reason', { reason: 'be kinder' }, sentBack],
  ['blank-comment', { comment: ' ', reason: 'be kinder' }, sentBack],
  ['both', { comment: 'be kinder', reason: 'other' }, sentBack],
  ['blank', { comment: '', reason: '' }, { status: 400 }],
])('a request for changes takes the text of comment, else of reason: %s', async (name, body, expected) => {
  await post('/v1/task-approvals', { metadata: { name }, spec: { task_ref: 'made-by-hand', checkpoint_id: 'draft' } });
  expect(await post(`/v1/task-approvals/${name}/request-changes`, body)).toMatchObject(expected);
});
