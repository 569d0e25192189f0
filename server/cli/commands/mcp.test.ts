// svcctl mcp against a real server and a real MCP server over stdio.
import { beforeAll, expect, it, vi } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import { program } from '../../testing/mcp/world.ts';

const { svcctl } = await startCliServer();

async function apply(...objects: readonly (readonly [kind: string, name: string, spec: object])[]): Promise<void> {
  const manifests = objects.map(([kind, name, spec]) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec }));
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

const countOf = async (kind: string): Promise<number> => {
  const { out } = await svcctl(['get', kind, '-o', 'name']);
  return out.split('\n').length - 1;
};

beforeAll(async () => {
  await apply(['McpServer', 'notes', { ...program('stdio-2026'), tool_filter: { include: ['add', 'delete_all'] } }]);
  await vi.waitFor(async () => expect((await svcctl(['mcp', 'tools', 'notes'])).out).toContain('notes--add'), { timeout: 20_000 });
}, 30_000);

it('mcp tools lists discovered tools beside the Tools generated from them', async () => {
  const { code, out } = await svcctl(['mcp', 'tools', 'mcp-server/notes', '-o', 'json']);
  expect(code).toBe(0);
  const none = { tool: null, operations: [], risk: null, description: null };
  expect(JSON.parse(out)).toEqual([
    { name: 'add', tool: 'notes--add', operations: ['read'], risk: 'low', description: 'Adds two numbers' },
    { name: 'delete_all', tool: 'notes--delete-all', operations: ['write'], risk: 'high', description: 'Deletes all notes' },
    { name: 'environment', ...none },
  ]);
  expect((await svcctl(['mcp', 'tools', 'notes'])).out).toMatch(/^NAME +TOOL +OPERATIONS +RISK +DESCRIPTION\nadd +notes--add +read +low/);
});

it('mcp call runs a tool with typed input, prints its result and leaves only the Task', async () => {
  expect(await svcctl(['mcp', 'call', 'notes', 'add', '-i', 'a=2', '-i', 'b=3', '--quiet'])).toEqual({
    code: 0,
    out: '{"sum":5}\n',
    err: '',
  });
  const file = await svcctl(['mcp', 'call', 'notes', 'notes--add', '--input-file', '-', '-o', 'json'], { stdin: '{a: 1, b: 1}' });
  expect(JSON.parse(file.out)).toMatchObject({ kind: 'Task', status: { phase: 'Succeeded', output: { last_output: '{"sum":2}' } } });
  expect([await countOf('agent-systems'), await countOf('agents'), await countOf('model-endpoints')]).toEqual([0, 0, 0]);
  expect(await countOf('tasks')).toBe(2);
  const { code, err } = await svcctl(['mcp', 'call', 'notes', 'add', '--input-file', '-'], { stdin: 'a: [1' });
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^error: standard input is neither JSON nor YAML: .*\n$/) as string,
  });
});

it('mcp call exits with 1 when the tool reports an error', async () => {
  const { code, out } = await svcctl(['mcp', 'call', 'notes', 'delete_all', '--quiet']);
  expect(code).toBe(1);
  expect(out).toContain('nothing was deleted');
});

it('mcp call is denied by the rules for agents', async () => {
  await apply(['ToolPermission', 'no-adding', { tool_ref: 'notes--add', action: 'invoke', required_permissions: ['notes:add'] }]);
  const { code, out, err } = await svcctl(['mcp', 'call', 'notes', 'add', '-i', 'a=2', '-i', 'b=3']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('notes--add');
  expect(err).toContain('permission');
  expect(await countOf('agents')).toBe(0);
  await svcctl(['delete', 'tool-permission', 'no-adding', '--yes']);
});

it('mcp call suggests the nearest tool for one that does not exist', async () => {
  const { code, err } = await svcctl(['mcp', 'call', 'notes', 'ad']);
  expect(code).toBe(5);
  expect(err).toContain('has no imported tool "ad"');
  expect(err).toContain('did you mean "add"?');
});

it('mcp logs prints the standard error of a program that failed', async () => {
  await apply(['McpServer', 'broken', { ...program('no-such-file'), reconnect: { max_attempts: 1 } }]);
  await vi.waitFor(async () => expect((await svcctl(['mcp', 'logs', 'broken'])).out).toContain('Cannot find module'), { timeout: 20_000 });
  const { code, err } = await svcctl(['mcp', 'logs', 'broken']);
  expect(code).toBe(0);
  expect(err).toContain('Error: ');
});

it('mcp logs of a server over HTTP names the reason that there are none', async () => {
  await apply(['McpServer', 'web', { transport: 'http', endpoint: 'https://mcp.example/mcp' }]);
  const { code, err } = await svcctl(['mcp', 'logs', 'web']);
  expect(code).toBe(2);
  expect(err).toContain('is reached over HTTP');
});
