// Pages of an agent’s log: cursors of pages whose Tasks were deleted, and invalid cursors. Records that are read by the uid of their Task.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import type { Registry } from '../../registry/registry.ts';
import { systemContext } from '../../registry/registry.ts';
import { silentObserver } from '../observer.ts';
import { noRunListeners } from '../run-listeners.ts';
import { agentLogs } from './agent-logs.ts';
import { createRunService } from './create-run-service.ts';

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

test('records of a run that are read by its uid are not those of a later Task of its name', async () => {
  const { store } = http;
  const parts = { store, observer: silentObserver, runListeners: noRunListeners, registry: {} as Registry };
  const runs = createRunService({ ...parts, ...keptDecisions() });
  const { metadata } = (await http.send('GET', '/v1/tasks/t2')).body as { metadata: { uid: string } };
  const task = { namespace: 'default', name: 't2' };
  expect(await runs.trace(systemContext, { ...task, uid: metadata.uid }, { after: undefined })).toMatchObject({ name: 't2', items: [] });
  const later = { ...task, uid: '0190a0a0-0000-7000-8000-000000000000' };
  await expect(runs.trace(systemContext, later, { after: undefined })).rejects.toMatchObject({ code: 'conflict' });
  await expect(runs.definitions(systemContext, later)).rejects.toMatchObject({ code: 'conflict' });
});
