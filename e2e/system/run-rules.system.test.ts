// The rules of an agent's step loop, seen from outside only: a real svcd over HTTP, a model in the chat completions form and tools on
// loopback that count their requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, text, type Answer } from '../../server/testing/loopback-server.ts';
import { entriesOf, typesOf } from '../../server/testing/run-records.ts';
import { chatOf, startRunWorld, type ModelStep, type RunTask, type RunWorld } from '../../server/testing/run-world.ts';
import { answers, asks, says, streams } from '../../server/testing/wire-answers.ts';

let world: RunWorld;
beforeAll(async () => {
  world = await startRunWorld(['--allow-private-tool-endpoints']);
});
afterAll(() => world.close());

interface Story {
  readonly model: readonly ModelStep[];
  readonly tools?: Readonly<Record<string, readonly Answer[]>>;
  readonly agent?: object;
}

/** Runs one agent of this name with a model and tools of its own. */
async function play(name: string, { model, tools = {}, agent = {} }: Story): Promise<RunTask> {
  for (const [tool, given] of Object.entries(tools)) await world.tool(tool, given);
  await world.model(name, ...model);
  await world.system(name, { [name]: { model_ref: name, tools: Object.keys(tools), ...agent } });
  return world.run(name, { system: name });
}

const requestsOf = (model: string) => world.modelCalls(model).map(chatOf);
const offered = (model: string) => requestsOf(model).map(({ tools = [] }) => tools.map(({ function: { name } }) => name));
/** Tool results in the model's nth request, by call id. */
const toolResults = (model: string, request: number) =>
  (requestsOf(model)[request]?.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id, content }) => [tool_call_id, content]);
/** Contract facts of a Task in the event log. */
async function factsOf(name: string): Promise<readonly { readonly type: string }[]> {
  const { items } = (await world.request('GET', `/v1/events?kind=Task&name=${name}&limit=100`)).body as { items: { type: string }[] };
  return items.filter(({ type }) => type.startsWith('task.contract'));
}
const ok = json({ ok: true });
const OK = '{"ok":true}';

describe('limits.max_steps', () => {
  test.each<[string, object, string, string | undefined]>([
    ['steps-dynamic', {}, 'Failed', 'max_steps_reached'],
    ['steps-contract', { execution: { profile: 'contract', tool_sequence: ['again-contract'] } }, 'Failed', 'max_steps_reached'],
  ])('%s: text beside tool calls is not the final answer', async (name, agent, phase, reason) => {
    const tool = name.replace('steps', 'again');
    const step = (n: number) => answers({ content: 'let me look', calls: [{ id: `c${n}`, name: tool, input: { n } }] });
    const task = await play(name, { model: [step(1), step(2)], tools: { [tool]: [ok] }, agent: { limits: { max_steps: 2 }, ...agent } });
    expect(task.status).toMatchObject({ phase, reason });
    expect(world.modelCalls(name)).toHaveLength(2);
  });

  test('an observed contract without any answer fails too', async () => {
    const execution = { profile: 'contract', tool_sequence: ['seen', 'unseen'], on_contract_violation: 'observe' };
    const tools = { seen: [ok], unseen: [ok] };
    const task = await play('steps-observe', {
      model: [asks(['seen', {}, 'c1'])],
      tools,
      agent: { limits: { max_steps: 1 }, execution },
    });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'max_steps_reached' });
    expect(entriesOf(task, 'agent_contract_violation')).toHaveLength(1);
  });
});

describe('duplicate calls', () => {
  test('short_circuit answers arguments equal except for order and whitespace with a hint, without a call', async () => {
    const model = [
      asks(['dup', { a: 1, b: { c: [1, 2], d: 'é' } }, 'c1']),
      answers({ calls: [{ id: 'c2', name: 'dup', input: '{ "b" : {"d":"\\u00e9","c":[1,2]}, "a":1.0 }' }] }),
      says('done'),
    ];
    const task = await play('dup', { model, tools: { dup: [json({ n: 1 }), json({ n: 2 })] } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_tool_calls: '1' } });
    expect(world.toolCalls('dup')).toHaveLength(1);
    expect(toolResults('dup', 2)).toEqual([
      ['c1', '{"n":1}'],
      ['c2', expect.stringMatching(/^\{"n":1\}\n\n.*final answer/s)],
    ]);
  });

  test('a failed call may be repeated, and so may one with other arguments', async () => {
    const model = [
      asks(['retryable', { a: 1 }, 'c1']),
      asks(['retryable', { a: 1 }, 'c2']),
      asks(['retryable', { a: 2 }, 'c3']),
      says('done'),
    ];
    await play('retryable', { model, tools: { retryable: [json({}, 500), ok] } });
    expect(world.toolCalls('retryable')).toHaveLength(3);
  });

  test('deny returns a typed error to the model, within one answer and across several', async () => {
    const model = [asks(['denied', {}, 'c1'], ['denied', {}, 'c2']), asks(['denied', {}, 'c3']), says('done')];
    const agent = { execution: { duplicate_tool_call_policy: 'deny' } };
    const task = await play('denied', { model, tools: { denied: [ok] }, agent });
    expect(task.status.phase).toBe('Succeeded');
    expect(world.toolCalls('denied')).toHaveLength(1);
    const refusal = expect.stringContaining('"code":"duplicate_tool_call"');
    expect(toolResults('denied', 2)).toEqual([
      ['c1', OK],
      ['c2', refusal],
      ['c3', refusal],
    ]);
    expect(entriesOf(task, 'tool_error').map(({ tool_code }) => tool_code)).toEqual(['duplicate_tool_call', 'duplicate_tool_call']);
  });

  test.each<[string, string, string | undefined]>([
    ['non_retryable_error', 'DeadLetter', 'contract_violation'],
    ['observe', 'Succeeded', undefined],
  ])('deny in the contract profile is a violation (%s)', async (on_contract_violation, phase, reason) => {
    const name = `deny-${on_contract_violation.slice(0, 3)}`;
    const execution = { profile: 'contract', tool_sequence: [name], duplicate_tool_call_policy: 'deny', on_contract_violation };
    const model = [asks([name, {}, 'c1']), asks([name, {}, 'c2']), says('done')];
    const task = await play(name, { model, tools: { [name]: [ok] }, agent: { execution } });
    expect([task.status.phase, task.status.reason]).toEqual([phase, reason]);
    expect(entriesOf(task, 'agent_contract_violation')).toHaveLength(1);
    expect(world.toolCalls(name)).toHaveLength(1);
  });
});

describe('stop_on_first_tool', () => {
  const agent = { execution: { tool_use_behavior: 'stop_on_first_tool' } };

  test('makes the first successful output final, even after a failed call, without another model call', async () => {
    const model = [asks(['first-bad', {}, 'c1'], ['first-good', {}, 'c2'], ['first-late', {}, 'c3']), says('never')];
    const tools = { 'first-bad': [json({}, 500)], 'first-good': [text('the good')], 'first-late': [text('the late')] };
    const task = await play('first', { model, tools, agent });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'the good', last_tool_calls: '3' } });
    expect(world.modelCalls('first')).toHaveLength(1);
  });

  test('continues while every call failed', async () => {
    const model = [asks(['stumble', {}, 'c1']), asks(['stumble', {}, 'c2']), says('never')];
    const task = await play('stumble', { model, tools: { stumble: [json({}, 500), text('at last')] }, agent });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'at last' } });
    expect(world.modelCalls('stumble')).toHaveLength(2);
  });

  test('in a contract relays the output once the tools are done, and warns of markers missing from it', async () => {
    const execution = { ...agent.execution, profile: 'contract', tool_sequence: ['one', 'two'], required_output_markers: ['DONE'] };
    const tools = { one: [text('1')], two: [text('2')] };
    const task = await play('relay', { model: [asks(['one', {}, 'c1']), asks(['two', {}, 'c2'])], tools, agent: { execution } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: '2' } });
    expect(entriesOf(task, 'contract_warning')).toHaveLength(1);
  });
});

describe('profiles', () => {
  test('dynamic offers a tool until it has succeeded, contract always', async () => {
    const model = [asks(['fails-once', {}, 'c1'], ['works', {}, 'c2']), asks(['fails-once', {}, 'c3']), says('done')];
    await play('offers-dynamic', { model, tools: { 'fails-once': [json({}, 500), ok], works: [ok] } });
    expect(offered('offers-dynamic')).toEqual([['fails-once', 'works'], ['fails-once'], []]);
    const execution = { profile: 'contract', tool_sequence: ['kept'] };
    await play('offers-contract', { model: [asks(['kept', {}, 'c1']), says('done')], tools: { kept: [ok] }, agent: { execution } });
    expect(offered('offers-contract')).toEqual([['kept'], ['kept']]);
  });

  test('tool_sequence is a set: the order of the calls is free', async () => {
    const execution = { profile: 'contract', tool_sequence: ['set-a', 'set-b'] };
    const model = [asks(['set-b', {}, 'c1']), asks(['set-a', {}, 'c2']), says('done')];
    const task = await play('set', { model, tools: { 'set-a': [ok], 'set-b': [ok] }, agent: { execution } });
    expect(task.status.phase).toBe('Succeeded');
    expect(typesOf(task)).not.toContain('contract_warning');
  });

  test('an unmet contract calls the model again, and missing markers at the end only warn', async () => {
    const execution = { profile: 'contract', tool_sequence: ['must'], required_output_markers: ['[OK]', '[END]'] };
    const model = [says('too early'), asks(['must', {}, 'c1']), says('[OK] but not the other'), says('[OK] and still not')];
    const task = await play('marked', { model, tools: { must: [ok] }, agent: { execution, limits: { max_steps: 4 } } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: '[OK] and still not' } });
    expect(entriesOf(task, 'contract_warning')).toMatchObject([{ message: expect.stringContaining('[END]') }]);
    expect(await factsOf('marked')).toMatchObject([{ action: 'contract_warning', message: expect.stringContaining('[END]') }]);
    expect(requestsOf('marked')[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('must') });
  });

  test('markers unmet when the last step was a tool call complete with the warning too', async () => {
    const execution = { profile: 'contract', tool_sequence: ['lone'], required_output_markers: ['[OK]'] };
    const task = await play('lone', {
      model: [asks(['lone', {}, 'c1'])],
      tools: { lone: [ok] },
      agent: { execution, limits: { max_steps: 1 } },
    });
    expect(task.status.phase).toBe('Succeeded');
    expect(entriesOf(task, 'contract_warning')).toHaveLength(1);
  });

  test.each<[string, string, string | undefined]>([
    ['non_retryable_error', 'DeadLetter', 'contract_violation'],
    ['observe', 'Succeeded', undefined],
  ])('uncalled tools break the contract (%s), and no retry repeats it', async (on_contract_violation, phase, reason) => {
    const name = `unkept-${on_contract_violation.slice(0, 3)}`;
    const execution = { profile: 'contract', tool_sequence: [name], on_contract_violation };
    await world.tool(name, [ok]);
    await world.model(name, says('no thanks'));
    await world.system(name, { [name]: { model_ref: name, tools: [name], execution, limits: { max_steps: 2 } } });
    const task = await world.run(name, { system: name, retry: { max_attempts: 3 }, message_retry: { max_attempts: 2 } });
    expect([task.status.phase, task.status.reason, task.status['attempts']]).toEqual([phase, reason, 1]);
    expect(entriesOf(task, 'agent_contract_violation')).toMatchObject([{ message: expect.stringContaining(name) }]);
    expect(await factsOf(name)).toMatchObject([{ action: 'contract_violation', data: { agent: name, mode: on_contract_violation } }]);
    expect(world.modelCalls(name)).toHaveLength(2);
  });

  test('an observed violation does not hide the warning about markers', async () => {
    const execution = {
      profile: 'contract',
      tool_sequence: ['both'],
      required_output_markers: ['[OK]'],
      duplicate_tool_call_policy: 'deny',
      on_contract_violation: 'observe',
    };
    const model = [asks(['both', {}, 'c1'], ['both', {}, 'c2']), says('no marker')];
    const task = await play('both', { model, tools: { both: [ok] }, agent: { execution, limits: { max_steps: 2 } } });
    expect(task.status.phase).toBe('Succeeded');
    expect(typesOf(task).filter((type) => type === 'agent_contract_violation' || type === 'contract_warning')).toEqual([
      'agent_contract_violation',
      'contract_warning',
    ]);
  });

  test('a contract without tool_sequence is refused at write time', async () => {
    const spec = { model_ref: 'x', execution: { profile: 'contract' } };
    const { status, body } = await world.request('POST', '/v1/agents', { metadata: { name: 'no-sequence' }, spec });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('tool_sequence')]);
  });
});

describe('parallel calls', () => {
  test('every call id gets its result, in the requested order, whatever the outcome of the call', async () => {
    const calls = [
      ['slowest', { n: 1 }, 'a'],
      ['no-such-tool', {}, 'b'],
      ['quick', '{"broken', 'c'],
      ['quick', '[1]', 'd'],
      ['quick', { n: 1 }, 'e'],
      ['quick', { n: 1 }, 'f'],
      ['broken', {}, 'g'],
      ['quick', '', 'h'],
    ] as const;
    const late: Answer = (response, request) => void setTimeout(() => text('slow')(response, request), 150);
    const tools = { slowest: [late], quick: [text('quick')], broken: [json({ why: 'no' }, 422)] };
    const task = await play('parallel', { model: [asks(...calls), says('done')], tools });
    expect(task.status.phase).toBe('Succeeded');
    expect(toolResults('parallel', 1)).toEqual([
      ['a', 'slow'],
      ['b', expect.stringContaining('"unsupported_tool"')],
      ['c', expect.stringContaining('"invalid_input"')],
      ['d', expect.stringContaining('"invalid_input"')],
      ['e', 'quick'],
      ['f', expect.stringMatching(/^quick\n\n/)],
      ['g', expect.stringContaining('422')],
      ['h', 'quick'],
    ]);
    expect(
      world
        .toolCalls('quick')
        .map(({ body }) => body)
        .sort(),
    ).toEqual(['{"n":1}', '{}']);
    // Servers that read the history's arguments as JSON must not refuse the conversation.
    const sent =
      requestsOf('parallel')[1]?.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.arguments)) ?? [];
    expect(sent.map((text) => JSON.parse(text) as unknown).every((value) => typeof value === 'object' && !Array.isArray(value))).toBe(true);
    expect(sent[2]).toContain('broken');
  });

  test('arguments that violate the input_schema are returned with the path, and the next call runs', async () => {
    const input_schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'], additionalProperties: false };
    await world.tool('strict', [ok], { input_schema });
    await world.model(
      'strict',
      asks(['strict', { q: 7 }, 'c1'], ['strict', { p: 'x' }, 'c2']),
      asks(['strict', { q: 'x' }, 'c3']),
      says('done'),
    );
    await world.system('strict', { strict: { model_ref: 'strict', tools: ['strict'] } });
    expect((await world.run('strict', { system: 'strict' })).status.phase).toBe('Succeeded');
    expect(toolResults('strict', 2)).toEqual([
      ['c1', expect.stringMatching(/invalid_input.*input\.q/)],
      ['c2', expect.stringMatching(/invalid_input.*required.*\\"p\\"/)],
      ['c3', OK],
    ]);
    expect(world.toolCalls('strict')).toHaveLength(1);
  });

  test('more than 64 calls in one answer get a result each, the excess ones a refusal', async () => {
    const calls = Array.from({ length: 70 }, (_, n) => ['many', { n }, `c${n}`] as const);
    await play('many', { model: [asks(...calls), says('done')], tools: { many: [ok] } });
    const outcomes = toolResults('many', 1);
    expect(outcomes.map(([id]) => id)).toEqual(calls.map(([, , id]) => id));
    expect(outcomes.filter(([, content]) => content === OK)).toHaveLength(64);
    expect(outcomes.slice(64).every(([, content]) => content?.includes('at most 64'))).toBe(true);
  });

  test('distinguishes calls without ids or with the same id', async () => {
    const calls = [0, 1].map((n) => ({ id: '', name: 'anonymous', input: { n } }));
    await play('anonymous', { model: [answers({ calls }), says('done')], tools: { anonymous: [text('a'), text('b')] } });
    const outcomes = toolResults('anonymous', 1);
    expect(outcomes.map(([, content]) => content).sort()).toEqual(['a', 'b']);
    expect(new Set(outcomes.map(([id]) => id)).size).toBe(2);
    expect(
      requestsOf('anonymous')[1]
        ?.messages.find(({ tool_calls }) => tool_calls)
        ?.tool_calls?.map(({ id }) => id),
    ).toEqual(outcomes.map(([id]) => id));
  });

  test('a huge output reaches the model whole and the trace truncated', async () => {
    const huge = 'ß'.repeat(400_000);
    const task = await play('huge', { model: [asks(['huge', {}, 'c1']), says('done')], tools: { huge: [text(huge)] } });
    expect(toolResults('huge', 1)).toEqual([['c1', huge]]);
    const [traced] = entriesOf(task, 'tool_call');
    expect([traced?.['truncated'], Buffer.byteLength(String(traced?.['output'])) <= 64 * 1024]).toEqual([true, true]);
  });

  test('an output past the limit is a typed error', async () => {
    await play('endless', { model: [asks(['endless', {}, 'c1']), says('done')], tools: { endless: [text('x'.repeat(2_000_000))] } });
    expect(toolResults('endless', 1)).toEqual([['c1', expect.stringContaining('"execution_failed"')]]);
  });
});

describe('answers of a model', () => {
  test.each<[string, Answer, string, string | undefined, string]>([
    ['null', answers({ content: null }), 'DeadLetter', 'empty_output', ''],
    ['whitespace', says(' \n\t '), 'DeadLetter', 'empty_output', ''],
    ['filtered', answers({ content: null, finish: 'content_filter' }), 'DeadLetter', 'empty_output', ''],
    ['cut', says('half a sen', 'length'), 'Succeeded', undefined, 'half a sen'],
    ['legacy-stop', says('fine', 'weird_word'), 'Succeeded', undefined, 'fine'],
    ['no-calls', json({ choices: [{ message: { content: 'fine', tool_calls: [] } }] }), 'Succeeded', undefined, 'fine'],
    ['null-calls', json({ choices: [{ message: { content: 'fine', tool_calls: null } }] }), 'Succeeded', undefined, 'fine'],
    [
      'parts',
      json({ choices: [{ message: { content: [{ type: 'text', text: 'fi' }, { text: 'ne' }] } }] }),
      'Succeeded',
      undefined,
      'fine',
    ],
    ['refusal', json({ choices: [{ message: { content: null, refusal: 'I will not' } }] }), 'Succeeded', undefined, 'I will not'],
    ['null-message', json({ choices: [{ message: null }] }), 'DeadLetter', 'malformed_response', ''],
    ['stream', streams({ content: 'fi' }, { content: 'ne' }), 'Succeeded', undefined, 'fine'],
  ])('%s', async (kind, answer, phase, reason, output) => {
    const task = await play(`says-${kind}`, { model: [answer] });
    expect([task.status.phase, task.status.reason]).toEqual([phase, reason]);
    expect(task.status.output?.['last_output']).toBe(output);
  });

  test('the reason for an empty output is part of empty_output, so that non_retryable can name it', async () => {
    await world.model('filtered', answers({ content: '', finish: 'content_filter' }));
    await world.system('filtered', { filtered: { model_ref: 'filtered' } });
    const task = await world.run('filtered', {
      system: 'filtered',
      message_retry: { max_attempts: 3, jitter: 'none', non_retryable: ['content_filter'] },
    });
    expect(task.status).toMatchObject({ phase: 'Failed', reason: 'empty_output' });
    expect(entriesOf(task, 'agent_error')).toMatchObject([{ error_code: 'empty_output', error_reason: 'content_filter' }]);
    expect(world.modelCalls('filtered')).toHaveLength(1);
  });

  test.each<[string, string | null]>([
    ['text', 'I look it up.'],
    ['empty', ''],
    ['none', null],
  ])('tool calls beside content %s run, and the content stays in the conversation', async (kind, content) => {
    const name = `beside-${kind}`;
    const model = [answers({ content, calls: [{ id: 'c1', name, input: {} }] }), says('done')];
    const task = await play(name, { model, tools: { [name]: [ok] } });
    expect(task.status).toMatchObject({ phase: 'Succeeded', output: { last_output: 'done' } });
    expect(requestsOf(name)[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', content: content || null, tool_calls: [{ id: 'c1' }] });
  });

  test('streamed calls cut off by the length limit return an error that the model can handle', async () => {
    const part = (index: number, fields: object) => ({ tool_calls: [{ index, ...fields }] });
    const streamed = streams(
      part(0, { id: 'c1', function: { name: 'pieces', arguments: '{"n"' } }),
      part(0, { function: { arguments: ':1}' } }),
      part(1, { id: 'c2', function: { name: 'pieces', arguments: '{"n":' } }),
    );
    await play('pieces', { model: [streamed, says('done')], tools: { pieces: [ok] } });
    expect(toolResults('pieces', 1)).toEqual([
      ['c1', OK],
      ['c2', expect.stringContaining('"invalid_input"')],
    ]);
  });
});
