// Audit lines about Memories on a real server: entries that people write, delete and import, and tools of Memories that governance denies.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { startSvcctl } from '../testing/run-svcctl.ts';
import { startTestServer } from '../testing/running-server.ts';

type Json = Readonly<Record<string, any>>;
const TOKENS = { ann: 'ann-token-0123456789abcdef', reader: 'reader-token-0123456789abcdef' };
const HIDDEN = 'HIDDEN-VALUE';

let url = '';
let file = '';
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-audit-memory-'));
  file = join(directory, 'audit.log');
  const server = await startTestServer(['--audit-log', file], {
    SVC_API_TOKENS: `ann:${TOKENS.ann}:admin,rita:${TOKENS.reader}:reader`,
  });
  atFileEnd(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });
  ({ url } = server);
  expect((await send('POST', '/v1/memories', { metadata: { name: 'notes' }, spec: { provider: 'embedded' } })).status).toBe(201);
});

async function send(method: string, path: string, body?: object, token = TOKENS.ann): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: await answer.json() };
}

const linesOf = async (component: string): Promise<Json[]> =>
  (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json)
    .filter((line) => line['component'] === component);
const brief = ({ action, outcome, principal, details }: Json) => [action, outcome, principal.name, details.key];

it('writes, documents, deletions and imports of entries are recorded with their keys, reads are not, values never', async () => {
  await send('PUT', '/v1/memories/notes/entries/plans%2Fa', { value: HIDDEN });
  await send('GET', '/v1/memories/notes/entries');
  await send('GET', `/v1/memories/notes/entries?q=${HIDDEN}`);
  await send('DELETE', '/v1/memories/notes/entries/plans%2Fa');
  await send('DELETE', '/v1/memories/notes/entries/plans%2Fa');
  const document = { namespace: 'default', name: 'notes', source: 'tides', content: HIDDEN.repeat(100) };
  expect((await send('POST', '/trpc/memories.ingest', document)).body.result.data.keys).toEqual(['tides/chunk-0000', 'tides/chunk-0001']);
  const stdin = ['one', 'two'].map((key) => `${JSON.stringify({ key, value: HIDDEN })}\n`).join('');
  const env = { SVCCTL_SERVER: url, SVCCTL_API_TOKEN: TOKENS.ann };
  expect((await startSvcctl(['memory', 'import', 'notes'], { cwd: tmpdir(), env }, { stdin }).done).code).toBe(0);
  await expect.poll(() => linesOf('memory')).toHaveLength(6);
  const lines = await linesOf('memory');
  expect(lines[0]).toMatchObject({
    resource: { kind: 'Memory', namespace: 'default', name: 'notes' },
    principal: { name: 'ann', method: 'bearer', role: 'admin' },
    details: { key: 'plans/a' },
  });
  expect(lines.map(brief).sort()).toEqual(
    [
      ['memory_entry.write', 'success', 'ann', 'plans/a'],
      ['memory_entry.delete', 'success', 'ann', 'plans/a'],
      ['memory_entry.delete', 'failed', 'ann', 'plans/a'],
      ['memory_entry.write', 'success', 'ann', 'tides'],
      ['memory_entry.write', 'success', 'ann', 'one'],
      ['memory_entry.write', 'success', 'ann', 'two'],
    ].sort(),
  );
  expect(await readFile(file, 'utf8')).not.toContain(HIDDEN);
});

it('a write without the role is recorded once, as a refused request', async () => {
  const before = (await linesOf('memory')).length;
  expect((await send('PUT', '/v1/memories/notes/entries/theirs', { value: 'v' }, TOKENS.reader)).status).toBe(403);
  await expect
    .poll(async () => (await linesOf('http')).map(({ principal, resource }) => [principal.name, resource.name]))
    .toEqual([['rita', '/v1/memories/notes/entries/theirs']]);
  expect(await linesOf('memory')).toHaveLength(before);
});

it('a call of a memory tool that a policy blocks is recorded as a denied call of its run', async () => {
  const script = JSON.stringify([{ tool: 'memory.write', input: { key: 'a', value: HIDDEN } }, { text: 'done' }]);
  const objects = [
    { kind: 'ModelEndpoint', metadata: { name: 'scripted' }, spec: { provider: 'mock', options: { script } } },
    { kind: 'AgentPolicy', metadata: { name: 'no-writes' }, spec: { blocked_tools: ['memory.write'], apply_mode: 'global' } },
    {
      kind: 'Agent',
      metadata: { name: 'writer' },
      spec: { model_ref: 'scripted', prompt: 'Write.', memory: { ref: 'notes', allow: ['write'] } },
    },
    { kind: 'AgentSystem', metadata: { name: 'library' }, spec: { agents: ['writer'] } },
    { kind: 'Task', metadata: { name: 'one' }, spec: { system: 'library' } },
  ];
  expect((await send('POST', '/v1/apply', objects)).status).toBe(200);
  await expect.poll(async () => (await send('GET', '/v1/tasks/one')).body.status.phase, { timeout: 30_000 }).toBe('Failed');
  const denied = async () => (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('"tool.call"'));
  await expect.poll(denied).toHaveLength(1);
  expect((await denied())[0]).toContain('memory.write');
  expect(await readFile(file, 'utf8')).not.toContain(HIDDEN);
});
