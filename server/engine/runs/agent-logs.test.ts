// Pages of an agent's log: cursors of pages whose Tasks were deleted, and invalid cursors.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';
import { agentLogs } from './agent-logs.ts';

const AGENT = { namespace: 'default', name: 'a' };

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
  for (let i = 0; i < 51; i += 1) {
    const { status } = await http.send('POST', '/v1/tasks', { body: { metadata: { name: `t${i}` }, spec: { system: 's' } } });
    expect(status).toBe(201);
  }
});
afterAll(() => http.close());

test('a page continues after a Task that was deleted', async () => {
  const first = await agentLogs(http.store, AGENT, undefined);
  expect(first['continue']).toMatch(/^default\/t1@/);
  await http.send('DELETE', '/v1/tasks/t1');
  expect(await agentLogs(http.store, AGENT, String(first['continue']))).toEqual({ name: 'a', logs: [] });
});

test.each(['garbage!', 't3', 'team/t3@2026-01-01T00:00:00.000Z', 'search:3'])('%s is not a cursor', async (after) => {
  await expect(agentLogs(http.store, AGENT, after)).rejects.toMatchObject({ code: 'invalid' });
});
