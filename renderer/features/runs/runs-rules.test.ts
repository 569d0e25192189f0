import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewOf } from '../../preferences/saved-views.ts';
import { readSearch } from '../../navigation/search-state.ts';
import { batchText, planBatch } from './actions/batch.ts';
import { causeChain } from './run/cause-chain.ts';
import { difference, pairMessages, pairSteps, pathDifference, stepsOf } from './compare/compare-runs.ts';
import { costByAgent, costByEndpoint, pricesOf, totalCost } from './run/cost.ts';
import { leaseOf, mainReason } from './model/explain-sentence.ts';
import { adviceFor } from './run/failure-advice.ts';
import { shareOf, sortMetricRows, METRIC_COLUMNS } from './run/stats.ts';
import { retryConsequence } from './actions/retry-text.ts';
import { changesOf, inputOf, problemsOf, rowsOf } from './actions/input-rows.ts';
import { matching, readLine, textTest } from './run/log-lines.ts';
import { contentForm, parsedJson, threadsOf } from './run/message-threads.ts';
import { holdBack } from './list/new-rows.ts';
import { inOrder, moved } from './list/run-columns.tsx';
import { quoted } from '../../ui/text/shell-text.ts';
import { curlRun, svcctlRun } from './actions/run-commands.ts';
import { RUN_LIST_PARAMS } from './list/run-list-input.ts';
import { SYSTEM_VIEWS } from './list/run-views.ts';
import { asRun, originsOf, systemOf, type Run } from './model/run.ts';

function run(name: string, fields: { spec?: object; status?: object; metadata?: object } = {}): Run {
  const metadata = {
    name,
    namespace: 'ops',
    uid: name,
    createdAt: '2026-05-05T11:00:00.000Z',
    labels: {},
    annotations: {},
    ...fields.metadata,
  };
  return asRun({ kind: 'Task', metadata, spec: { system: 's', ...fields.spec }, status: { phase: 'Running', ...fields.status } } as never);
}

const docs = (page: string) => readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8');
/** Codes of the sentence or table behind `start`. */
const codesIn = (page: string, start: RegExp, code: RegExp) =>
  [...(start.exec(docs(page))?.[0] ?? '').matchAll(code)].map(([, name = '']) => name);
const DOCUMENTED_CODES = [
  ...codesIn('engine.md', /^Failures beyond the tool and model error codes: .*$/m, /`([a-z_]+)`/g),
  ...['models.md', 'tools.md'].flatMap((page) => codesIn(page, /^## Errors$[^#]*/m, /^\| `([a-z_]+)`/gm)),
];

describe('one action on several runs', () => {
  const runs = [run('a'), run('b', { status: { phase: 'Succeeded' } }), run('t', { spec: { mode: 'template' } })];
  test('includes those that the kind’s table allows, and never templates', () => {
    expect(planBatch('cancel', runs).able.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(planBatch('retry', runs).able.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });
  test('names the consequence and the excluded runs', () => {
    const { title, consequence } = batchText('cancel', planBatch('cancel', runs));
    expect(title).toBe('Cancel 1 run?');
    expect(consequence).toContain('final');
    expect(consequence).toContain('2 of those selected are left out');
  });
});

describe('the question before a retry', () => {
  const succeeded = run('done', { status: { phase: 'Succeeded' } });
  const calls = (...tools: string[]) => tools.map((tool) => ({ type: 'tool_call', tool, timestamp: '2026-05-05T11:00:00.000Z' }) as never);
  test('names the tools that may act again, after a run that succeeded', () => {
    expect(retryConsequence(succeeded, calls('refund', 'mail', 'refund'))).toMatch(/may call refund and mail again\.$/);
    expect(retryConsequence(succeeded, calls('a', 'b', 'c', 'd', 'e'))).toMatch(/may call a, b, c and 2 more again\.$/);
    expect(retryConsequence(succeeded, undefined)).toMatch(/may call its tools again\.$/);
  });
  test('is left out after a failure, and after a run without tool calls', () => {
    const failed = run('broken', { status: { phase: 'Failed' } });
    expect([retryConsequence(succeeded, []), retryConsequence(failed, calls('refund'))]).toEqual([undefined, undefined]);
  });
});

describe('the cause of a failure', () => {
  const entry = (fields: object) => ({ timestamp: '2026-05-05T11:00:00.000Z', attempt: 1, ...fields }) as never;
  test('is reported once, from the call to the end, of the last attempt only', () => {
    const failed = { error_code: 'execution_failed', message: 'overloaded', agent: 'flaky' };
    const chain = causeChain([
      entry({ type: 'model_error', ...failed, message: 'earlier' }),
      entry({ type: 'model_error', ...failed, attempt: 2 }),
      entry({ type: 'agent_error', ...failed, attempt: 2 }),
      entry({ type: 'agent_message_deadletter', ...failed, attempt: 2 }),
      entry({ type: 'tool_error', ...failed, tool: 'search', message: 'no answer', attempt: 2 }),
      entry({ type: 'task_summary', ...failed, attempt: 2 }),
    ]);
    expect(chain.map(({ where, message }) => [where, message])).toEqual([
      ['flaky called its model, attempt 2', 'overloaded'],
      ['flaky called search, attempt 2', 'no answer'],
    ]);
  });
  test.each(DOCUMENTED_CODES)('%s has an explanation and advice', (code) => {
    const { title, happened, attempts } = adviceFor(code);
    expect(title).not.toBe(adviceFor(undefined).title);
    expect(happened.endsWith('.')).toBe(true);
    expect(attempts.length).toBeGreaterThan(0);
  });
  test('a code of a newer server, or a user-defined name, has the general explanation', () => {
    expect(adviceFor('brand_new').title).toBe('The run failed');
    expect(adviceFor('toString').title).toBe('The run failed');
    expect(adviceFor(undefined).title).toBe('The run failed');
  });
});

describe('two runs', () => {
  const message = (from_agent: string, to_agent: string, content: string) => ({ from_agent, to_agent, content }) as never;
  test('messages are paired by sender, receiver and occurrence', () => {
    const left = [message('', 'a', '1'), message('a', 'b', '2'), message('a', 'b', '3')];
    const pairs = pairMessages(left, [message('', 'a', '1'), message('a', 'b', '4'), message('a', 'c', '5')]);
    expect(pairs.map(({ key, left: a, right: b }) => [key, a?.content, b?.content])).toEqual([
      ['start → a', '1', '1'],
      ['a → b', '2', '4'],
      ['a → b (2)', '3', undefined],
      ['a → c', undefined, '5'],
    ]);
  });
  test('steps are paired by agent and call', () => {
    const trace = (...types: string[]) =>
      types.map((type) => ({ type, agent: 'a', timestamp: '', ...(type === 'tool_call' && { tool: 't' }) })) as never;
    const pairs = pairSteps(stepsOf(trace('model_call', 'model_output', 'tool_call')), stepsOf(trace('model_output', 'model_output')));
    expect(pairs.map(({ key, left, right }) => [key, left !== undefined, right !== undefined])).toEqual([
      ['a · model', true, true],
      ['a · t', true, false],
      ['a · model (2)', false, true],
    ]);
  });
  test('paths differ by the agents and edges that only one run used', () => {
    const overlay = (names: string[], edges: string[]) => ({
      nodes: new Map(names.map((name) => [name, { state: 'succeeded' as const }])),
      edges: new Map(edges.map((edge) => [edge, { active: false, count: 1, dead: false }])),
    });
    expect(pathDifference(overlay(['a', 'b'], ['a→b']), overlay(['a', 'c'], ['a→c']))).toEqual({
      onlyLeft: ['b', 'a→b'],
      onlyRight: ['c', 'a→c'],
      both: 1,
    });
  });
  test('have no difference in an unknown value', () => {
    expect([difference(1, 3), difference(null, 3), difference(1, undefined)]).toEqual([2, undefined, undefined]);
  });
});

describe('cost', () => {
  const call = (agent: string, fields: object) => ({ type: 'model_output', agent, input_tokens: 10, output_tokens: 5, ...fields }) as never;
  const rows = costByAgent([call('a', { cost_usd: 0.1 }), call('a', { cost_usd: 0.2 }), call('b', {}), { type: 'model_call' } as never]);
  test('an unknown price is counted as unknown and never as zero', () => {
    expect(rows).toEqual([
      { agent: 'a', calls: 2, inputTokens: 20, outputTokens: 10, cost: 0.3, unpriced: 0, estimated: 0 },
      { agent: 'b', calls: 1, inputTokens: 10, outputTokens: 5, cost: 0, unpriced: 1, estimated: 0 },
    ]);
    expect(totalCost(rows)).toMatchObject({ calls: 3, cost: 0.3, unpriced: 1 });
  });
  test('agents of one endpoint are added up', () => {
    expect(costByEndpoint(rows, () => 'ns/m')).toMatchObject([{ agent: 'ns/m', calls: 3, cost: 0.3 }]);
    expect(costByEndpoint(rows, () => undefined)).toMatchObject([{ agent: '' }]);
  });
  test('prices are parsed from text; invalid ones are unknown', () => {
    expect(pricesOf({ price_input_per_million: '0.40', price_output_per_million: '' })).toEqual({ input: 0.4 });
    expect(pricesOf(undefined)).toEqual({});
  });
});

test('the sentence of the header omits the phase and gives the reason', () => {
  const reasons = [
    { code: 'running', message: 'w has it', until: '2026-05-05T11:00:00.000Z' },
    { code: 'model_call', message: 'a waits' },
  ];
  expect(mainReason(reasons)?.code).toBe('model_call');
  expect(mainReason(reasons.slice(0, 1))?.code).toBe('running');
  expect(mainReason([])).toBeUndefined();
  expect(leaseOf(reasons)).toBe('2026-05-05T11:00:00.000Z');
});

test('metrics sort unknown values last, and share is relative to the largest', () => {
  const row = (label: string, cost_usd: number | null, tokens: number) => ({ key: label, label, metrics: { cost_usd, tokens } as never });
  const rows = [row('a', null, 5), row('b', 2, 10), row('c', 1, 0)];
  expect(sortMetricRows(rows, { column: 'cost', descending: true }).map(({ key }) => key)).toEqual(['b', 'c', 'a']);
  expect(sortMetricRows(rows, { column: 'cost', descending: false }).map(({ key }) => key)).toEqual(['c', 'b', 'a']);
  expect(sortMetricRows(rows, { column: 'name', descending: false }).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  const tokens = METRIC_COLUMNS.find(({ id }) => id === 'tokens');
  expect(tokens && rows.map((each) => shareOf(tokens, each, rows))).toEqual([0.5, 1, 0]);
});

describe('an edited input', () => {
  test('converts to rows and back, with the differences', () => {
    const rows = rowsOf({ a: '1', b: '2' });
    expect(inputOf(rows)).toEqual({ a: '1', b: '2' });
    expect(changesOf({ a: '1', b: '2' }, { a: '1', c: '3' })).toEqual([
      { key: 'c', before: undefined, after: '3' },
      { key: 'b', before: '2', after: undefined },
    ]);
  });
  test('reports empty and double keys by row', () => {
    const problems = problemsOf([
      { id: 0, key: 'a', value: '' },
      { id: 1, key: ' a ', value: '' },
      { id: 2, key: ' ', value: '' },
    ]);
    expect([...problems.keys()]).toEqual([1, 2]);
  });
});

describe('the log', () => {
  test('a level comes from the type of the entry, never from its text', () => {
    const level = (text: string) => readLine(`2026-05-05T11:00:00.000Z ${text}`).level;
    expect(level('a001.s0001 model_error agent=x code=timeout')).toBe('error');
    expect(level('deadletter: The provider is overloaded')).toBe('error');
    expect(level('retry_scheduled: attempt 2')).toBe('warn');
    expect(level('a001.s0001 model_output agent=x ERROR in its text')).toBeUndefined();
    expect(level('a001.s0001 agent_message agent=x model_error')).toBeUndefined();
    expect(readLine('no moment at all').level).toBeUndefined();
  });
  test('search ignores case and returns offsets', () => {
    const lines = ['One', 'two', 'ONE more'].map(readLine);
    expect(matching(lines, textTest('one'))).toEqual([0, 2]);
    expect(matching(lines, textTest(''))).toEqual([]);
  });
});

describe('messages', () => {
  test('branches keep their order, with their depth', () => {
    const threads = threadsOf(['b1000', 'b002', 'b001.001', 'b001'].map((branch_id) => ({ branch_id })) as never);
    expect(threads.map(({ branch, depth }) => [branch, depth])).toEqual([
      ['b001', 0],
      ['b001.001', 1],
      ['b002', 0],
      ['b1000', 0],
    ]);
  });
  test.each([
    ['{"a": 1}', 'json'],
    ['[broken', 'text'],
    ['# Title\n\ntext', 'markdown'],
    ['some **bold** text', 'markdown'],
    ['plain', 'text'],
  ])('%j is read as %s', (text, form) => {
    expect(contentForm(text)).toBe(form);
  });
  test('only objects and arrays count as JSON here', () => {
    expect([parsedJson('1'), parsedJson('[1]')]).toEqual([undefined, [1]]);
  });
});

describe('the list', () => {
  test('new rows above the known ones are held back while the user reads further down', () => {
    const rows = [run('new'), run('a'), run('b')];
    expect(holdBack(rows, new Set(['ops/a', 'ops/b']))).toEqual({ rows: rows.slice(1), fresh: 1 });
    expect(holdBack(rows, undefined)).toEqual({ rows, fresh: 0 });
    expect(holdBack(rows, new Set(['ops/gone']))).toEqual({ rows, fresh: 0 });
  });
  test('columns follow a stored order, and unlisted ones keep their place', () => {
    const columns = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
    expect(inOrder(columns, ['c', 'a', 'gone']).map(({ id }) => id)).toEqual(['c', 'd', 'a', 'b']);
    expect(inOrder(columns, []).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b'], 'a', -1)).toEqual(['a', 'b']);
  });
  test('a view is recognised by its filters', () => {
    const state = readSearch(RUN_LIST_PARAMS, { phase: ['DeadLetter', 'Failed'], ended: 'today' });
    expect(viewOf(state, SYSTEM_VIEWS[0]?.filters ?? state, SYSTEM_VIEWS)?.id).toBe('failed-today');
  });
});

describe('a run', () => {
  test('names its origin', () => {
    const retried = run('a-retry-1', { metadata: { annotations: { 'svc.dev/retry-of': 'ops/a' } } });
    expect(originsOf(retried)).toEqual([{ label: 'Retry of', kind: 'Task', namespace: 'ops', name: 'a' }]);
    expect(originsOf(run('a'))).toEqual([]);
    const fork = { label: 'Fork of', kind: 'Task', namespace: 'ops', name: 'a', at: 'writer' };
    expect(originsOf(run('b', { spec: { trial: { from: { node: 'writer', task: 'a' } } } }))).toEqual([fork]);
    expect(originsOf(run('c', { spec: { trial: { only: { node: 'writer', task: 'a' } } } }))).toEqual([fork]);
    expect(originsOf(run('d', { spec: { trial: { only: { node: 'writer' } } } }))).toEqual([]);
    const labels = { 'svc.dev/created-by': 'schedule', 'svc.dev/task-schedule': 'nightly' };
    const scheduled = run('nightly-1', { metadata: { createdBy: 'system:triggers', labels } });
    expect(originsOf(scheduled)).toEqual([{ label: 'Schedule', kind: 'TaskSchedule', namespace: 'ops', name: 'nightly' }]);
    expect(originsOf(run('forged', { metadata: { createdBy: 'eve', labels } }))).toEqual([]);
    expect(systemOf(run('a', { spec: { system: 'lib/desk' } }))).toEqual({ kind: 'AgentSystem', namespace: 'lib', name: 'desk' });
  });
  test('is written as commands, with hostile input quoted', () => {
    const hostile = run('a', { spec: { input: { q: `it's $(rm -rf /)\n"x"` } } });
    expect(svcctlRun(hostile)).toBe(`npx svcctl -n ops run s \\\n  -i 'q=it'\\''s $(rm -rf /)\n"x"'`);
    expect(curlRun(hostile, 'http://h')).toContain(`'http://h/v1/tasks?namespace=ops'`);
    expect(quoted('plain-1')).toBe('plain-1');
  });
  test('a trial keeps its versions, models and prompts', () => {
    const versions = [
      { kind: 'Agent', name: 'w', generation: 3 },
      { kind: 'AgentSystem', name: 's', generation: 2 },
    ];
    const trial = { versions, overrides: { model: { w: 'fast' }, prompt: { p: '@home: plan', q: 'Ask.' } }, wait: '1h' };
    expect(
      svcctlRun(run('r', { spec: { trial } }))
        .split(' \\\n  ')
        .slice(1),
    ).toEqual([
      '--agent-version w=3',
      '--system-version 2',
      '--agent-model w=fast',
      "--agent-prompt 'p=@@home: plan'",
      '--agent-prompt q=Ask.',
    ]);
  });
  test('a trial keeps its breakpoints and pins', () => {
    const trial = { breakpoints: [{ node: 'w', at: 'after' }], pins: [{ node: 'p', output: 'A plan' }], wait: '2h' };
    expect(svcctlRun(run('r', { spec: { trial } }))).toBe(
      "npx svcctl -n ops run s \\\n  --break-after w \\\n  --pin 'p=A plan' \\\n  --trial-wait 2h",
    );
  });
});
