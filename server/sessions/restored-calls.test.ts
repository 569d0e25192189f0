// Tool calls in flight at a checkpoint, in the runs that continue from it: through a whole server, on both databases.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseServers } from '../testing/database-servers.ts';
import { startLoopbackServer, type LoopbackServer } from '../testing/loopback-server.ts';
import type { TestServer } from '../testing/running-server.ts';
import { sessionClient, type Wire } from '../testing/session-client.ts';

describe.each(databaseServers('calls in flight at checkpoints', ['--allow-private-tool-endpoints']))('on $name', ({ start }) => {
  let server: TestServer;
  let slow: LoopbackServer;
  let note: LoopbackServer;
  /** Answers of the first tool that are still owed. */
  const owed: ServerResponse[] = [];
  /** Answers of the second tool, which end the step beside a call in flight. */
  const notes: ServerResponse[] = [];
  const { send, write, submit, until, checkpointsOf, branch } = sessionClient(() => server.url);

  beforeAll(async () => {
    server = await start();
    slow = await startLoopbackServer((response) => owed.push(response));
    note = await startLoopbackServer((response) => notes.push(response));
    await write('tools', 'risky', { type: 'http', endpoint: slow.url, risk_level: 'high', runtime: { isolation_mode: 'none' } });
    await write('tools', 'guarded', { type: 'http', endpoint: slow.url, risk_level: 'low' });
    await write('tools', 'note', { type: 'http', endpoint: note.url, risk_level: 'low' });
    const ask = { operation_rules: [{ operation_class: '*', verdict: 'approval_required' }] };
    await write('tool-permissions', 'guarded', ask);
    const twice = { type: 'http', endpoint: slow.url, risk_level: 'high', runtime: { isolation_mode: 'none' } };
    await write('tools', 'twice', twice);
    await write('tool-permissions', 'twice', ask);
    for (const tool of ['risky', 'guarded', 'twice']) await writeSystem(tool);
  }, 60_000);
  afterAll(async () => {
    for (const response of [...owed, ...notes]) response.destroy();
    await Promise.all([slow?.close(), note?.close(), server?.stop()]);
  });

  /** One agent calls the tool, the other one completes a step beside it once its tool answers. */
  async function writeSystem(tool: string): Promise<void> {
    const script = (name: string) =>
      JSON.stringify([
        { tool: name, input: { n: 1 } },
        { text: 'done', delay: '700ms' },
      ]);
    const options = { [`agent.${tool}-first`]: script(tool), [`agent.${tool}-second`]: script('note') };
    await write('model-endpoints', tool, { provider: 'mock', options });
    await write('agents', `${tool}-first`, { prompt: 'You act.', model_ref: tool, tools: [tool] });
    await write('agents', `${tool}-second`, { prompt: 'You note.', model_ref: tool, tools: ['note'] });
    const agents = [`${tool}-first`, `${tool}-second`];
    await write('agent-systems', tool, { agents, graph: Object.fromEntries(agents.map((agent) => [agent, {}])) });
  }

  async function pendingOf(session: string): Promise<Wire | undefined> {
    const turns: Wire[] = (await send('GET', `/v1/sessions/${session}/turns`)).body.items;
    const approvals: Wire[] = (await send('GET', '/v1/tool-approvals')).body;
    return approvals.find(({ spec, status }) => spec.task_ref === turns.at(-1)?.['task_name'] && status.phase === 'Pending');
  }

  const approvalOf = (session: string): Promise<Wire> =>
    vi.waitFor(
      async () => {
        const approval = await pendingOf(session);
        if (!approval) throw new Error(`no approval of Session ${session} is pending`);
        return approval;
      },
      { timeout: 20_000, interval: 30 },
    );

  const reasonOf = ({ metadata }: Wire) => metadata.annotations['svc.dev/approval-reason'];

  async function approve({ metadata }: Wire, body: object = {}): Promise<void> {
    const answer = await send('POST', `/v1/tool-approvals/${metadata.name}/approve`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }

  /** The checkpoint that the step beside the call makes, while the call is in flight. */
  async function stepBeside(session: string, sent: number): Promise<string> {
    await vi.waitFor(() => expect([slow.seen.length, notes.length]).toEqual([sent, 1]), { timeout: 20_000 });
    notes.pop()?.end('noted');
    return checkpointWhere(session, 'step.completed');
  }

  const checkpointWhere = (session: string, point: string): Promise<string> =>
    vi.waitFor(
      async () => {
        const found = (await checkpointsOf(session)).find((each) => each['safe_point'] === point);
        if (!found) throw new Error(`Session ${session} has no checkpoint ${point}`);
        return String(found['id']);
      },
      { timeout: 20_000, interval: 30 },
    );

  test('each fork asks for the outcome of the call in an approval of its own', async () => {
    await write('sessions', 'risk', { system: 'risky' });
    const sent = slow.seen.length + 1;
    await submit('risk', 'go', 'k1');
    const step = await stepBeside('risk', sent);
    const forks = ['risk-a', 'risk-b'];
    for (const name of forks) expect((await branch('risk', step, 'fork', { name, resume: true })).status).toBe(201);
    for (const name of forks) await approvalOf(name);
    const approvals = await Promise.all(forks.map(approvalOf));
    expect(approvals.map(reasonOf)).toEqual(['unknown_outcome', 'unknown_outcome']);
    for (const approval of approvals) await approve(approval, { outcome: 'not_done' });
    for (const name of forks) await until(name, 'turn.completed');
  });

  test('a rewind asks again for the outcome of a call whose approval was pending', async () => {
    await write('sessions', 'open', { system: 'risky' });
    const sent = slow.seen.length + 1;
    await submit('open', 'go', 'k1');
    const step = await stepBeside('open', sent);
    expect((await branch('open', step, 'fork', { name: 'open-fork', resume: true })).status).toBe(201);
    const first = await approvalOf('open-fork');
    const second = await checkpointWhere('open-fork', 'agent.completed');
    expect((await branch('open-fork', second, 'rewind', { interrupt: true, resume: true })).status).toBe(200);
    const again = await approvalOf('open-fork');
    expect(again.metadata.name).not.toBe(first.metadata.name);
    expect(reasonOf(again)).toBe('unknown_outcome');
    expect(slow.seen).toHaveLength(sent);
    await approve(again, { outcome: 'done' });
    await until('open-fork', 'turn.completed');
  });

  test('a rule that requires another person counts for the outcome of a call that it let through', async () => {
    await write('sessions', 'two', { system: 'twice' });
    const sent = slow.seen.length + 1;
    await submit('two', 'go', 'k1');
    await approve(await approvalOf('two'));
    const step = await stepBeside('two', sent);
    expect((await branch('two', step, 'fork', { name: 'two-fork', resume: true })).status).toBe(201);
    const asked = await approvalOf('two-fork');
    expect(reasonOf(asked)).toBe('unknown_outcome');
    const { body: permission } = await send('GET', '/v1/tool-permissions/twice');
    const spec = { ...permission.spec, approval: { require_other: true } };
    expect((await send('PUT', '/v1/tool-permissions/twice', { ...permission, spec })).status).toBe(200);
    const decided = await send('POST', `/v1/tool-approvals/${asked.metadata.name}/approve`, { outcome: 'done', output: 'made up' });
    expect(decided.status, JSON.stringify(decided.body)).toBe(403);
  });

  test.each(['fork', 'rewind'] as const)('a %s asks again for a call that was approved and sent', async (action) => {
    const name = `guarded-${action}`;
    await write('sessions', name, { system: 'guarded' });
    const sent = slow.seen.length + 1;
    await submit(name, 'go', 'k1');
    const first = await approvalOf(name);
    await approve(first);
    const step = await stepBeside(name, sent);
    const next = action === 'fork' ? `${name}-next` : name;
    const body = action === 'fork' ? { name: next, resume: true } : { interrupt: true, resume: true };
    expect((await branch(name, step, action, body)).status).toBeLessThan(300);
    const again = await approvalOf(next);
    expect(again.metadata.name).not.toBe(first.metadata.name);
    expect([reasonOf(again), again.spec.input]).toEqual(['policy', first.spec.input]);
    expect(slow.seen).toHaveLength(sent);
    const place = JSON.stringify({ kind: 'ToolApproval', namespace: 'default', name: again.metadata.name });
    const asked = await send('GET', `/trpc/approvals.request?input=${encodeURIComponent(place)}`);
    expect(asked.body).toMatchObject({ result: { data: { waits: true, call: { sent: true } } } });
    const edited = await send('POST', `/v1/tool-approvals/${again.metadata.name}/approve`, { input: { n: 2 } });
    expect(edited).toMatchObject({ status: 400, body: { error: { details: [{ path: 'input' }] } } });
    await approve(again);
    await vi.waitFor(() => expect(slow.seen).toHaveLength(sent + 1), { timeout: 20_000 });
    owed.at(-1)?.end('paid');
    await until(next, 'turn.completed');
  });
});
