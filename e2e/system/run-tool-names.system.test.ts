// Names of tools on their way to a provider and back, seen from outside: the model sees safe names, the tool and the record have the Tool's
// own name.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../server/testing/loopback-server.ts';
import { entriesOf } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type RunWorld } from '../../server/testing/run-world.ts';
import { asks, says } from '../../server/testing/wire-answers.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
});
afterAll(() => world.close());

const LONG = 'a'.repeat(63);
const NAMES = ['files.read', 'files_read', 'files-read', 'docs--search', `${LONG}.tail-one`, `${LONG}.tail-two`, 'z'.repeat(253), 'X.Y'];

test.each(['aliases', 'originals'])('a model that answers with %s reaches the tool it means', async (form) => {
  const name = `by-${form}`;
  const tools = NAMES.map((tool) => `${form[0]}.${tool}`.slice(0, 253));
  for (const tool of tools) await world.tool(tool, [json({ tool })]);
  const offeredOf = (body: string) =>
    (JSON.parse(body) as { tools: { function: { name: string } }[] }).tools.map((tool) => tool.function.name);
  await world.model(
    name,
    (response, request) => {
      const wanted = form === 'aliases' ? offeredOf(request.body) : tools;
      asks(...wanted.map((tool, n) => [tool, { n }, `c${n}`] as const))(response, request);
    },
    says('done'),
  );
  await world.system(name, { [name]: { model_ref: name, tools } });
  const task = await world.run(name, { system: name });
  expect(task.status.phase).toBe('Succeeded');
  const [first, second] = world.modelCalls(name).map(chatOf);
  const aliases = first?.tools?.map((tool) => tool.function.name) ?? [];
  expect(aliases.every((alias) => /^[a-zA-Z0-9_-]{1,64}$/.test(alias))).toBe(true);
  expect(new Set(aliases).size).toBe(tools.length);
  expect(tools.map((tool) => world.toolCalls(tool).length)).toEqual(tools.map(() => 1));
  expect(
    entriesOf(task, 'tool_call')
      .map(({ tool }) => tool)
      .sort(),
  ).toEqual([...tools].sort());
  // The conversation is returned under the provider-safe names that were offered.
  const repeated = second?.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name));
  expect(repeated).toEqual(aliases);
});

test('a tool of another namespace is called by its reference', async () => {
  const other = { metadata: { name: 'far.tool', namespace: 'elsewhere' }, spec: { endpoint: 'http://127.0.0.1:1/far' } };
  expect((await world.request('POST', '/v1/tools?namespace=elsewhere', other)).status).toBe(201);
  await world.model('far', asks(['elsewhere_far_tool', {}, 'c1']), says('done'));
  await world.system('far', { far: { model_ref: 'far', tools: ['elsewhere/far.tool'] } });
  const task = await world.run('far', { system: 'far' });
  expect(chatOf(world.modelCalls('far')[0]!).tools?.map((tool) => tool.function.name)).toEqual(['elsewhere_far_tool']);
  expect(entriesOf(task, 'tool_error')).toMatchObject([{ tool: 'elsewhere/far.tool', error_code: 'execution_failed' }]);
});
