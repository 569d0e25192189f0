// Warnings at the write of rules that govern nothing, through a whole server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/running-server.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server?.stop());

const NO_TARGETS =
  'AgentPolicy default/rule governs nothing: it is scoped and has no targets; set target_systems or target_tasks, or apply_mode global for all runs of its namespace';
const OTHER_ACTION = 'ToolPermission default/rule governs nothing: its action is call, and calls of tools are invoke; leave action out';

test.each([
  ['agent-policies', { blocked_tools: ['shell'] }, NO_TARGETS],
  ['agent-policies', { blocked_tools: ['shell'], apply_mode: 'global' }, null],
  ['agent-policies', { blocked_tools: ['shell'], target_systems: ['research'] }, null],
  ['agent-policies', { blocked_tools: ['shell'], target_tasks: ['job'] }, null],
  ['tool-permissions', { action: 'call', operation_rules: [{ verdict: 'deny' }] }, OTHER_ACTION],
  ['tool-permissions', { action: 'Invoke' }, null],
  ['tool-permissions', { action: '*' }, null],
  ['tool-permissions', {}, null],
  ['agent-roles', { permissions: ['mail:use'] }, null],
])('a write of %s %j answers with the warning %s', async (plural, spec, warning) => {
  const body = JSON.stringify({ metadata: { name: 'rule' }, spec });
  const headers = { 'content-type': 'application/json' };
  for (const query of ['?dryRun=true', '']) {
    const answer = await fetch(`${server.url}/v1/${plural}${query}`, { method: 'POST', headers, body });
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.get('warning')).toEqual(warning === null ? null : expect.stringContaining(warning));
  }
});
