// State that a model attaches to its tool calls, seen from outside: a model server that refuses every request without it, over a kill of svcd and
// a wait for a person.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hang, json, type Answer } from '../../server/testing/loopback-server.ts';
import { untilTask } from '../../server/testing/run-records.ts';
import { startRunWorld, type RunWorld } from '../../server/testing/run-world.ts';

const SIGNATURE = 'a-signature-that-nobody-reads';
const THOUGHT = 'a-thought-that-nobody-reads';

const call = (name: string) => ({
  id: 'c1',
  type: 'function',
  function: { name, arguments: '{}' },
  extra_content: { google: { thought_signature: SIGNATURE } },
});
const asks = (tool: string): Answer =>
  json({
    choices: [
      { message: { role: 'assistant', content: null, reasoning_content: THOUGHT, tool_calls: [call(tool)] }, finish_reason: 'stop' },
    ],
  });
/** The end for a conversation with the state as it came, else the refusal of such providers. */
const demands =
  (tool: string): Answer =>
  (response, request) => {
    const { messages } = JSON.parse(request.body) as { readonly messages: readonly Readonly<Record<string, unknown>>[] };
    const answer = messages.find(({ role }) => role === 'assistant');
    const isWhole =
      answer?.['reasoning_content'] === THOUGHT &&
      JSON.stringify(answer['tool_calls']) ===
        JSON.stringify([call(tool)].map(({ extra_content, ...rest }) => ({ extra_content, ...rest })));
    const refusal = json([{ error: { code: 400, message: 'Function call is missing a thought_signature' } }], 400);
    (isWhole ? json({ choices: [{ message: { content: 'the end' }, finish_reason: 'stop' }] }) : refusal)(response, request);
  };

let world: RunWorld;

beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
  const risky = { risk_level: 'high', operation_classes: ['write'], runtime: { isolation_mode: 'none' } };
  for (const [name, first] of [
    ['lost', hang],
    ['asked', json({ ok: true })],
  ] as const) {
    await world.tool(`pay-${name}`, [first, json({ ok: true })], risky);
    await world.model(`m-${name}`, asks(`pay-${name}`), demands(`pay-${name}`));
    await world.system(name, { [name]: { model_ref: `m-${name}`, tools: [`pay-${name}`] } });
  }
  await world.put('ToolPermission', 'ask', {
    tool_ref: 'pay-asked',
    operation_rules: [{ operation_class: 'write', verdict: 'approval_required' }],
  });
  for (const name of ['lost', 'asked']) await world.put('Task', name, { system: name });
  await world.called('pay-lost', 1);
  await untilTask(world, 'asked', ({ status }) => status.phase === 'WaitingApproval');
  await world.restart('SIGKILL');
});
afterAll(() => world.close());

test.each([
  ['lost', { outcome: 'run_again' }],
  ['asked', {}],
])('the state goes back to the model after the %s call is approved', async (name, decision) => {
  const waiting = await untilTask(world, name, ({ status }) => status.phase === 'WaitingApproval');
  const approval = (waiting.status['blockedOn'] as { readonly name: string }).name;
  expect((await world.request('POST', `/v1/tool-approvals/${approval}/approve`, decision)).status).toBe(200);
  expect((await world.ended(name)).status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'the end' } });
  expect(world.modelCalls(`m-${name}`)).toHaveLength(2);
});

test('no answer of the API shows the state', async () => {
  const views = ['', '/trace', '/history', '/messages', '/metrics', '/explain', '/logs', '/trace/stream'].map(
    (view) => `/v1/tasks/asked${view}`,
  );
  for (const path of [...views, '/v1/events?limit=1000', '/v1/tool-approvals', '/v1/export']) {
    const shown = await (await fetch(`${world.url()}${path}`)).text();
    expect([path, shown.includes(SIGNATURE), shown.includes(THOUGHT)]).toEqual([path, false, false]);
  }
});
