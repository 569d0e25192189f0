// Every blueprint from a user's view: applied over HTTP to a real svcd, run by its embedded worker, followed by the watch to its end.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WatchItem } from '@svc/shared/api/watch';
import { isObject } from '@svc/shared/json';
import { taskStatus, type TaskStatus } from '@svc/shared/kinds/task/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blueprintsDirectory } from '../../server/installation.ts';
import { json, startLoopbackServer, type LoopbackServer } from '../../server/testing/loopback-server.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';
import { sseMessages } from '../../server/testing/sse-messages.ts';

const TOOL_ENDPOINT = 'http://127.0.0.1:8090/search';
const AGENT_URL = 'http://127.0.0.1:8080/v1/agent-systems/translation/a2a';
const FACT = { matches: [{ fact: 'The Moon pulls.', source: 'primer' }] };
const END_PHASES = ['Succeeded', 'Failed', 'DeadLetter'];
/** The trace of one agent turn that calls no tool. */
const TURN = ['agent_message_received', 'agent_start', 'model_call', 'model_output', 'agent_end', 'agent_message_processed'];

let server: ServerProcess;
let tool: LoopbackServer;
beforeAll(async () => {
  tool = await startLoopbackServer(json(FACT));
  server = await startServerProcess({ args: ['--allow-private-tool-endpoints', '--a2a-allow-private-endpoints'] });
});
afterAll(async () => {
  await server.dispose();
  await tool.close();
});

interface Run {
  readonly status: TaskStatus;
  /** Phases as the watch showed them, repeats left out. */
  readonly phases: readonly string[];
  readonly versions: readonly number[];
}

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${server.url}${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function apply(blueprint: string): Promise<void> {
  const manifest = readFileSync(join(blueprintsDirectory(), blueprint, `${blueprint}.yaml`), 'utf8');
  const response = await fetch(`${server.url}/v1/apply?namespace=${blueprint}&fieldValidation=Strict`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: manifest
      .replace(TOOL_ENDPOINT, `${tool.url}/search`)
      .replace(AGENT_URL, `${server.url}/v1/agent-systems/translation/a2a?namespace=${blueprint}`),
  });
  expect(await response.json()).toMatchObject({ results: expect.arrayContaining([expect.objectContaining({ action: 'created' })]) });
}

/** Applies a blueprint into a namespace of its own once the watch is open, and returns when the watch has shown the end of its Task. */
async function runBlueprint(blueprint: string): Promise<Run> {
  const name = `${blueprint}-run`;
  const phases: string[] = [];
  const versions: number[] = [];
  for await (const { event, data } of sseMessages(`${server.url}/v1/tasks/watch?namespace=${blueprint}&name=${name}`)) {
    if (event === 'synced') await apply(blueprint);
    if (event !== 'resource') continue;
    const { resource, resourceVersion } = data as WatchItem;
    const phase = String(resource.status['phase']);
    versions.push(Number(resourceVersion));
    if (phases.at(-1) !== phase) phases.push(phase);
    if (END_PHASES.includes(phase)) break;
  }
  const task = await read<{ status: unknown }>(`/v1/tasks/${name}?namespace=${blueprint}`);
  return { status: taskStatus.parse(task.status), phases, versions };
}

const typesOf = ({ trace }: TaskStatus) => (trace ?? []).map(({ type }) => type);
const edgesOf = ({ messages }: TaskStatus) => (messages ?? []).map(({ from_agent, to_agent }) => `${from_agent} > ${to_agent}`);

/** Common facts of every successful run, for any graph. */
async function expectSoundRecords(blueprint: string, { status, phases, versions }: Run): Promise<void> {
  const { trace = [], messages = [], history = [], message_idempotency: idempotency = [] } = status;
  expect(phases).toEqual(['Pending', 'Running', 'Succeeded']);
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  expect(history.map(({ type }) => type)).toEqual(['claim', 'running', 'succeeded']);
  expect(status).toMatchObject({
    attempts: 1,
    output: { last_event: 'agent_end', tokens_used_total: expect.stringMatching(/^[1-9]\d*$/) },
  });
  expect(status.claimedBy ?? '').toBe('');
  const times = trace.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort());
  expect(trace.filter(({ type }) => type === 'model_call')).toHaveLength(trace.filter(({ type }) => type === 'model_output').length);
  const [first] = messages;
  const task = { task_id: `${blueprint}/${blueprint}-run`, system: blueprint, attempt: 1, phase: 'Succeeded', trace_id: first?.trace_id };
  for (const message of messages) expect(message).toMatchObject(task);
  expect(messages.map(({ type }) => type)).toEqual(['task_start', ...messages.slice(1).map(() => 'task_handoff')]);
  expect(new Set(messages.map(({ message_id }) => message_id)).size).toBe(messages.length);
  const pairs = (records: readonly { message_id?: string | undefined }[], key: (record: object) => unknown) =>
    records.map((record) => [record.message_id, key(record)]).sort();
  expect(pairs(idempotency, (record) => (record as { key: string }).key)).toEqual(
    pairs(messages, (record) => (record as { idempotency_key: string }).idempotency_key),
  );
  await expectSameTraceEverywhere(blueprint, trace);
}

/** The trace of the Task, its page, and its stream afterwards agree. */
async function expectSameTraceEverywhere(blueprint: string, trace: NonNullable<TaskStatus['trace']>): Promise<void> {
  const path = `/v1/tasks/${blueprint}-run/trace`;
  const { items } = await read<{ items: unknown[] }>(`${path}?namespace=${blueprint}`);
  expect(items).toEqual(trace);
  const streamed: unknown[] = [];
  for await (const { event, data } of sseMessages(`${server.url}${path}/stream?namespace=${blueprint}`)) {
    if (event === 'trace') streamed.push(data);
    if (event === 'close') expect(data).toEqual({ reason: 'task_finished' });
  }
  expect(streamed).toEqual(trace);
}

describe('blueprints', () => {
  test('each have a test here', () => {
    expect(readdirSync(blueprintsDirectory()).sort()).toEqual([
      'a2a',
      'approval',
      'cycle',
      'fan-out-join',
      'mcp',
      'memory',
      'pipeline',
      'single-agent',
    ]);
  });

  test('single-agent: one turn, and the answer quotes the input', async () => {
    const run = await runBlueprint('single-agent');
    await expectSoundRecords('single-agent', run);
    expect(run.status.output).toMatchObject({ last_agent: 'assistant', last_tool_calls: '0' });
    expect(run.status.output?.['last_output']).toContain('What is a control plane?');
    expect(typesOf(run.status)).toEqual(['task_start', ...TURN, 'task_summary']);
    expect(run.status.messages).toMatchObject([{ from_agent: '', to_agent: 'assistant', branch_id: 'b001', attempts: 1, max_attempts: 1 }]);
    expect(run.status.join_states).toEqual([]);
  });

  test('pipeline: three turns in a row, and both tool calls reach the tool once', async () => {
    const run = await runBlueprint('pipeline');
    await expectSoundRecords('pipeline', run);
    expect(run.status.output).toMatchObject({ last_agent: 'writer' });
    expect(run.status.output?.['last_output']).toMatch(/^Twice a day the sea rises and falls because the Moon pulls on it\./);
    expect(edgesOf(run.status)).toEqual([' > planner', 'planner > research', 'research > writer']);
    const [received, start, call, output, ...rest] = TURN;
    const research = [received, start, call, output, 'tool_call', 'tool_call', call, output, ...rest];
    expect(typesOf(run.status)).toEqual(['task_start', ...TURN, 'agent_message', ...research, 'agent_message', ...TURN, 'task_summary']);
    const calls = (run.status.trace ?? []).filter(({ type }) => type === 'tool_call');
    const expected = { agent: 'research', tool: 'fact-search', output: JSON.stringify(FACT), tool_attempt: 1 };
    expect(calls).toMatchObject([expected, expected]);
    // The two calls run at the same time and may end in either order.
    expect(calls.map(({ input }) => JSON.stringify(input)).sort()).toEqual(
      ['what causes the tides', 'why two high tides a day'].map((query) => JSON.stringify({ query })),
    );
    expect(new Set(calls.map(({ tool_request_id }) => tool_request_id)).size).toBe(2);
    const seen = tool.seen.map(({ method, path, headers, body }) => [`${method} ${path}`, headers['idempotency-key'], JSON.parse(body)]);
    expect(seen.map((each) => JSON.stringify(each)).sort()).toEqual(
      calls.map(({ tool_request_id, input }) => JSON.stringify(['POST /search', tool_request_id, input])).sort(),
    );
  });

  test('fan-out-join: three branches at once, and one turn after the join', async () => {
    const run = await runBlueprint('fan-out-join');
    await expectSoundRecords('fan-out-join', run);
    const panel = ['legal', 'finance', 'security'];
    expect(run.status.output).toMatchObject({ last_agent: 'verdict' });
    expect(run.status.output?.['last_output']).toMatch(/^Verdict: yes, on one condition/);
    expect(edgesOf(run.status).sort()).toEqual(
      [' > intake', ...panel.map((agent) => `intake > ${agent}`), ...panel.map((agent) => `${agent} > verdict`)].sort(),
    );
    const branches = ['b001.001', 'b001.002', 'b001.003'];
    const out = (run.status.messages ?? []).filter(({ from_agent }) => from_agent === 'intake');
    expect(out.map(({ branch_id, parent_branch_id }) => [branch_id, parent_branch_id])).toEqual(branches.map((branch) => [branch, 'b001']));
    expect(run.status.join_states).toMatchObject([
      { node: 'verdict', mode: 'wait_for_all', expected: 3, quorum_required: 3, activated: true },
    ]);
    const sources = (run.status.join_states?.[0]?.sources ?? []).filter(isObject);
    expect(sources.map(({ agent, state }) => `${String(agent)} ${String(state)}`).sort()).toEqual(
      panel.map((agent) => `${agent} arrived`).sort(),
    );
    const turns = (agent: string) =>
      (run.status.trace ?? []).filter((entry) => entry.agent === agent && entry.type === 'agent_start').length;
    expect(['intake', ...panel, 'verdict'].map(turns)).toEqual([1, 1, 1, 1, 1]);
    const types = typesOf(run.status);
    expect(types.filter((type) => type === 'agent_message')).toHaveLength(6);
    expect(types).toContain('agent_message_join_wait');
    expect([types[0], types.at(-1)]).toEqual(['task_start', 'task_summary']);
  });

  test('cycle: the route in the output decides, first back to the drafter, then on to the publisher', async () => {
    const run = await runBlueprint('cycle');
    await expectSoundRecords('cycle', run);
    expect(run.status.output).toMatchObject({ last_agent: 'publisher' });
    expect(run.status.output?.['last_output']).toMatch(/^Published: /);
    expect(edgesOf(run.status)).toEqual([
      ' > drafter',
      'drafter > reviewer',
      'reviewer > drafter',
      'drafter > reviewer',
      'reviewer > publisher',
    ]);
    const turn = [...TURN, 'agent_message'];
    expect(typesOf(run.status)).toEqual(['task_start', ...turn, ...turn, ...turn, ...turn, ...TURN, 'task_summary']);
    expect(new Set(run.status.messages?.map(({ branch_id }) => branch_id))).toEqual(new Set(['b001']));
  });

  test('mcp: the agent calls an imported tool, and an MCP client calls the system', async () => {
    const { status } = await runBlueprint('mcp');
    expect(status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'Read this one: Moons and Seas, shelf 4' } });
    const calls = (status.trace ?? []).filter(({ type }) => type === 'tool_call');
    expect(calls).toMatchObject([{ tool: 'shelf--find', input: { topic: 'tides' }, output: 'Moons and Seas, shelf 4' }]);
    const params = { name: 'mcp--mcp', arguments: { topic: 'tides' } };
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect(await response.text()).toContain('Read this one: Moons and Seas, shelf 4');
  });

  test('memory: one agent writes, the next one finds it, and people find it afterwards', async () => {
    const run = await runBlueprint('memory');
    await expectSoundRecords('memory', run);
    expect(run.status.output?.['last_output']).toBe(
      'From the notes: {"found":true,"key":"harbour/opening","value":"The harbour office opens at 8 and closes at 16."}',
    );
    const calls = (run.status.trace ?? []).filter(({ type }) => type === 'tool_call');
    expect(calls.map(({ agent, tool }) => `${String(agent)} ${String(tool)}`)).toEqual([
      'scribe memory.write',
      'scribe memory.ingest',
      'guide memory.search',
      'guide memory.read',
    ]);
    expect(calls[2]?.output).toMatch(/"key":"tide-table\/chunk-0000".*High water is twice a day.*"count":1/);
    const found = await read<{ entries: { key: string }[]; search: string }>('/v1/memories/notes/entries?namespace=memory&q=spring%20tide');
    expect([found.search, found.entries[0]?.key]).toEqual(['keyword', expect.stringMatching(/^tide-table\//)]);
  });

  test('a2a: the agent has its message translated by another system, over A2A', async () => {
    const { status } = await runBlueprint('a2a');
    expect(status).toMatchObject({ phase: 'Succeeded', output: { last_output: expect.stringMatching(/Der Aufzug ist repariert\./) } });
    const [call] = (status.trace ?? []).filter(({ type }) => type === 'tool_call');
    expect(call).toMatchObject({ tool: 'ask-translator', output: expect.stringMatching(/"state":"completed"/) });
    const asked = await read<{ spec: object }[]>(`/v1/tasks?namespace=a2a&labelSelector=svc.dev/door=a2a`);
    expect(asked.map(({ spec }) => spec)).toMatchObject([{ system: 'translation' }]);
  });

  test('approval: the edited call runs, and the letter that was sent back is rewritten', async () => {
    const namespace = 'approval';
    const waiting = async (kind: string) => {
      const open = `/v1/${kind}?namespace=${namespace}&fieldSelector=status.phase=Pending`;
      await expect.poll(async () => read<unknown[]>(open)).toHaveLength(1);
      return (await read<{ metadata: { name: string }; spec: object }[]>(open))[0]!;
    };
    const decide = async (kind: string, how: { verb: string; body: object }) => {
      const { metadata, spec } = await waiting(kind);
      const response = await fetch(`${server.url}/v1/${kind}/${metadata.name}/${how.verb}?namespace=${namespace}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(how.body),
      });
      expect(response.status).toBe(200);
      return spec;
    };
    const ended = runBlueprint('approval');
    const pending = await decide('tool-approvals', { verb: 'approve', body: { input: { order: 1001, euros: 50 } } });
    expect(pending).toMatchObject({ input: '{"order":1001,"euros":90}', reason: 'Money leaves the house.', ttl: '1h' });
    const first = await decide('task-approvals', { verb: 'request-changes', body: { comment: 'say sorry' } });
    expect(first).toMatchObject({ checkpoint_type: 'task_output', output: expect.stringMatching(/Case closed/) });
    const second = await decide('task-approvals', { verb: 'approve', body: {} });
    expect(second).toMatchObject({ review_cycle: 2, output: expect.stringMatching(/we are sorry/) });
    const { status } = await ended;
    expect(status).toMatchObject({ phase: 'Succeeded', output: { last_output: expect.stringMatching(/we are sorry/) } });
    const calls = (status.trace ?? []).filter(({ type }) => type === 'tool_call');
    expect(calls).toMatchObject([
      { input: { order: 1001, euros: 50 }, output: expect.stringMatching(/^refunded 50 euros for order 1001/) },
    ]);
  });
});
